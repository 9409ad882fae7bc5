import { read } from '../read.ts';
import { ruleGroups } from './alerts.ts';

/** Labels that Prometheus adds to every scraped series. */
const scrapeLabels = new Set(['job', 'namespace', 'service', 'pod']);

/** Label sets by metric. */
export type Series = Map<string, Record<string, string>[]>;

/** PromQL of a rule or a dashboard panel. */
export type Expression = [name: string, expression: string];

/** Reads the expressions of all rules and panels. */
export async function expressions(): Promise<Expression[]> {
  const groups = await ruleGroups();
  const { panels } = JSON.parse(read('charts/store/files/dashboard.json'));
  return [
    ...groups.flatMap(({ rules }) =>
      rules.map((rule): Expression => ['alert' in rule ? rule.alert : rule.record, rule.expr]),
    ),
    ...panels.flatMap(({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => [title, expr]),
    ),
  ];
}

/**
 * Returns the metrics that expressions query but no component exports.
 * @param all see {@link expressions}
 * @param isChecked selects the metrics to check
 */
export function missingSeries(all: Expression[], series: Series, isChecked: (metric: string) => boolean): string[] {
  const missing: string[] = [];
  /** Recorded by a rule of the chart: the name has a colon. */
  const recorded = new Set(all.map(([name]) => name).filter((name) => name.includes(':')));
  for (const [name, expression] of all) {
    const queried = selectors(expression).filter(({ name: metric }) => isChecked(metric) && !recorded.has(metric));
    for (const { name: metric, labels } of queried) {
      // Nothing has failed here, so no series with a failure status exists.
      const required = labels.filter(({ label }) => label !== 'envoy_response_code_class' && label !== 'status');
      const found = series
        .get(metric)
        ?.some((exported) => required.every(({ label, pattern }) => pattern.test(exported[label] ?? '')));
      if (!found) missing.push(`${name}: ${metric} ${JSON.stringify(labels.map(({ label }) => label))}`);
    }
    if (queried.length === 0) continue;
    const exported = queried.flatMap(({ name: metric }) => series.get(metric) ?? []).flatMap(Object.keys);
    for (const label of groupings(expression)) if (!exported.includes(label)) missing.push(`${name}: by ${label}`);
  }
  return missing;
}

/** The selectors of an expression, such as `name{label="value"}`, without the labels that Prometheus adds. */
function selectors(expression: string) {
  return [...expression.matchAll(/(?<![\w:])([a-z][\w:]*)\{([^}]*)\}/g)].flatMap(([, name = '', inner = '']) => {
    if (name === 'up') return [];
    const labels = [...inner.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      label,
      pattern: new RegExp(`^(${value})$`),
    }));
    return [{ name, labels: labels.filter(({ label }) => !scrapeLabels.has(label)) }];
  });
}

/** The labels in the `by` and `on` clauses of an expression; the series must have them too. */
const groupings = (expression: string) =>
  [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)]
    .flatMap(([, labels = '']) => labels.split(', '))
    .filter((label) => label !== 'le' && !scrapeLabels.has(label));

/** Parses the Prometheus text format into the label sets of each metric. */
export function readSeries(text: string): Series {
  const series: Series = new Map();
  for (const [, name = '', inner = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const labels = [...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
    series.set(name, [...(series.get(name) ?? []), Object.fromEntries(labels)]);
  }
  return series;
}
