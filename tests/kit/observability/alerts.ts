import { renderObjects } from '../../../tools/chart/render.ts';

/** A Prometheus rule. */
export type Rule = Alert | { record: string; expr: string };

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: 'critical' | 'warning' };
  annotations: Record<string, string>;
}

export interface RuleGroup {
  name: string;
  rules: Rule[];
}

/** The groups in the PrometheusRule of a release in a namespace. A Prometheus rule file has the same format. */
export async function ruleGroups(namespace = 'store'): Promise<RuleGroup[]> {
  const values = { monitoring: { alerts: { enabled: true } } };
  return (await renderObjects(values, [], namespace)).find(({ kind }) => kind === 'PrometheusRule').spec.groups;
}

export const alertsOf = (groups: RuleGroup[]): Alert[] =>
  groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
