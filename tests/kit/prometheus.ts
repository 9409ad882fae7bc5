import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tools/paths.ts';

const files = join(root, 'charts/store/files');
/** Labels that Prometheus adds to every scraped series. */
const scrapeLabels = new Set(['job', 'namespace', 'service', 'pod']);

/** The PromQL expressions of all alerts and dashboard panels, with their names. */
export async function expressions(): Promise<[name: string, expression: string][]> {
  const { groups } = parse(await readFile(join(files, 'alerts/store.yaml'), 'utf8'));
  const { panels } = JSON.parse(await readFile(join(files, 'dashboard.json'), 'utf8'));
  return [
    ...groups.flatMap(({ rules }: { rules: { alert: string; expr: string }[] }) =>
      rules.map(({ alert, expr }) => [alert, expr]),
    ),
    ...panels.flatMap(({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => [title, expr]),
    ),
  ];
}

/** The selectors of an expression, such as `name{label="value"}`, without the labels that Prometheus adds. */
export function selectors(expression: string) {
  return [...expression.matchAll(/\b([a-z]\w*)\{([^}]*)\}/g)].flatMap(([, name = '', inner = '']) => {
    if (name === 'up') return [];
    const labels = [...inner.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      label,
      pattern: new RegExp(`^(${value})$`),
    }));
    return [{ name, labels: labels.filter(({ label }) => !scrapeLabels.has(label)) }];
  });
}

/** The labels in the `by` and `on` clauses of an expression; the series must have them too. */
export const groupings = (expression: string) =>
  [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)]
    .flatMap(([, labels = '']) => labels.split(', '))
    .filter((label) => label !== 'le' && !scrapeLabels.has(label));

/** Parses the Prometheus text format into the label sets of each metric. */
export function readSeries(text: string): Map<string, Record<string, string>[]> {
  const series = new Map<string, Record<string, string>[]>();
  for (const [, name = '', inner = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const labels = [...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
    series.set(name, [...(series.get(name) ?? []), Object.fromEntries(labels)]);
  }
  return series;
}
