import { renderObjects } from '../../../tools/chart/render.ts';

/** A rule of Prometheus. */
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

/** The groups of the PrometheusRule of a release in a namespace, which are those of a file of rules too. */
export async function ruleGroups(namespace = 'store'): Promise<RuleGroup[]> {
  const values = { monitoring: { alerts: { enabled: true } } };
  return (await renderObjects(values, [], namespace)).find(({ kind }) => kind === 'PrometheusRule').spec.groups;
}

export const alertsOf = (groups: RuleGroup[]): Alert[] =>
  groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
