import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { findOnPath } from '../../../tools/local/downloads/provide-tool.mjs';
import { useFolder } from '../../kit/folder.ts';
import { alertsOf, type RuleGroup, ruleGroups } from '../../kit/observability/alerts.ts';

const files = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -5));

/** Labels and the summary. No summary if it differs between versions of Prometheus. */
type Firing = Record<string, string>;

interface Cases {
  interval: string;
  evaluation_interval?: string;
  tests: {
    name: string;
    series: Record<string, string>;
    /** Firing alerts, by name and time. */
    alerts: Record<string, Record<string, Firing[]>>;
  }[];
}

// Reads all values as strings, since 0x10 is a series and not a number.
const read = async (file: string): Promise<Cases> =>
  parse(await readFile(join(import.meta.dirname, `${file}.yaml`), 'utf8'), { schema: 'failsafe' });

/** The cases in promtool's format. Unless its labels say otherwise, a series belongs to the store in the namespace `shop`. */
function forPromtool({ interval, evaluation_interval = interval, tests }: Cases) {
  const toTest = ({ name, series, alerts }: Cases['tests'][number]) => {
    const checks = Object.entries(alerts).flatMap(([alertname, times]) =>
      Object.entries(times).map(([eval_time, firing]) => ({ alertname, eval_time, firing })),
    );
    const isVague = ({ firing }: { firing: Firing[] }) => firing.some(({ summary }) => summary === undefined);
    return {
      name,
      interval,
      input_series: Object.entries(series).map(([one, values]) => ({ series: withDefaults(one), values })),
      alert_rule_test: checks
        .filter((check) => !isVague(check))
        .map(({ firing, ...check }) => ({
          ...check,
          exp_alerts: firing.map(({ summary, ...labels }) => ({
            exp_labels: { namespace: 'shop', ...labels },
            exp_annotations: { summary },
          })),
        })),
      promql_expr_test: checks.filter(isVague).map(({ alertname, eval_time, firing }) => ({
        expr: `ALERTS{alertname="${alertname}", alertstate="firing"}`,
        eval_time,
        exp_samples: firing.map(({ severity }) => ({
          labels: `ALERTS{alertname="${alertname}", alertstate="firing", namespace="shop", severity="${severity}"}`,
          value: 1,
        })),
      })),
    };
  };
  return { rule_files: ['rules.yaml'], evaluation_interval, tests: tests.map(toTest) };
}

function withDefaults(series: string): string {
  const isOfCluster = /^(kube|strimzi)/.test(series);
  const labels = [isOfCluster ? '' : 'job="store"', 'namespace="shop"'];
  const missing = labels.filter((label) => label && !new RegExp(`[{ ]${label.split('=')[0]}=`).test(series));
  return series.replace('{', `{${missing.map((label) => `${label}, `).join('')}`);
}

const dir = useFolder();
let groups: RuleGroup[];

beforeAll(async () => {
  groups = await ruleGroups('shop');
});

/**
 * The groups without rules that no case of a file asks for, directly or through another rule: promtool evaluates each rule at each moment
 * of each case.
 */
function neededBy({ tests }: Cases): RuleGroup[] {
  const alerts = new Set(tests.flatMap(({ alerts }) => Object.keys(alerts)));
  const all = groups.flatMap(({ rules }) => rules);
  const needed = new Set(all.filter((rule) => 'alert' in rule && alerts.has(rule.alert)));
  for (const { expr } of needed) {
    for (const rule of all) if ('record' in rule && expr.includes(rule.record)) needed.add(rule);
  }
  return groups.map((group) => ({ ...group, rules: group.rules.filter((rule) => needed.has(rule)) }));
}

/** promtool compares all annotations, but the cases only give the summary. */
const withSummaries = (groups: RuleGroup[]) =>
  groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) =>
      'alert' in rule ? { ...rule, annotations: { summary: rule.annotations.summary } } : rule,
    ),
  }));

/** Each as `<alert> <severity> fires`, or `<alert> is silent`. */
const outcomesOf = ({ tests }: Cases) =>
  tests.flatMap(({ alerts }) =>
    Object.entries(alerts).flatMap(([alert, times]) =>
      Object.values(times).flatMap((firing) =>
        firing.length > 0 ? firing.map(({ severity }) => `${alert} ${severity} fires`) : [`${alert} is silent`],
      ),
    ),
  );

const promtool = process.env.PROMTOOL || (await findOnPath('promtool'));
if (!promtool) {
  console.log('promtool is missing: apt-get install prometheus, or set PROMTOOL to its path.');
}

describe('the rules', () => {
  it('every alert has a case in which it fires and a case in which it is silent', async () => {
    const cases = new Set((await Promise.all(files.map(read))).flatMap(outcomesOf));
    const wanted = alertsOf(groups).flatMap(({ alert, labels }) => [
      `${alert} ${labels.severity} fires`,
      `${alert} is silent`,
    ]);
    expect(wanted.filter((one) => !cases.has(one))).toEqual([]);
  });

  (promtool ? it : it.skip).each(files)('promtool: %s', async (file) => {
    const cases = await read(file);
    await writeFile(join(dir, 'rules.yaml'), stringify({ groups: withSummaries(neededBy(cases)) }));
    await writeFile(join(dir, `${file}.yaml`), stringify(forPromtool(cases)));
    const { failed, all } = await execa(promtool || '', ['test', 'rules', `${file}.yaml`], {
      cwd: dir,
      all: true,
      reject: false,
    });
    expect({ failed, all }).toEqual({ failed: false, all: expect.stringContaining('SUCCESS') });
  });
});
