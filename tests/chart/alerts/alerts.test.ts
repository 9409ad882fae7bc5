import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { findOnPath } from '../../../tools/local/downloads/provide-tool.ts';
import { useFolder } from '../../kit/folder.ts';
import { alertsOf, type RuleGroup, ruleGroups } from '../../kit/observability/alerts.ts';

const files = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -5));
const pathOf = (file: string) => join(import.meta.dirname, `${file}.yaml`);

interface TestCase {
  alert_rule_test?: { alertname: string; exp_alerts: { exp_labels: { severity: string } }[] }[];
  promql_expr_test?: { expr: string; exp_samples: { labels: string }[] }[];
}

const dir = useFolder();
let groups: RuleGroup[];

beforeAll(async () => {
  groups = await ruleGroups('shop');
  // promtool compares all annotations; the summary is the one that the tests write down.
  const rules = groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) =>
      'alert' in rule ? { ...rule, annotations: { summary: rule.annotations.summary } } : rule,
    ),
  }));
  await writeFile(join(dir, 'rules.yaml'), stringify({ groups: rules }));
});

/** Each as `<alert> <severity> fires`, or `<alert> is silent`. */
async function casesOf(file: string): Promise<string[]> {
  const { tests }: { tests: TestCase[] } = parse(await readFile(pathOf(file), 'utf8'), { merge: true });
  return tests.flatMap(({ alert_rule_test: alerts = [], promql_expr_test: expressions = [] }) => [
    ...alerts.flatMap(({ alertname, exp_alerts: expected }) =>
      expected.length > 0
        ? expected.map(({ exp_labels: labels }) => `${alertname} ${labels.severity} fires`)
        : [`${alertname} is silent`],
    ),
    ...expressions.flatMap(({ expr, exp_samples: expected }) =>
      expected.length > 0
        ? expected.map(({ labels }) => `${nameIn(labels)} ${/severity="(\w+)"/.exec(labels)?.[1]} fires`)
        : [`${nameIn(expr)} is silent`],
    ),
  ]);
}

const nameIn = (selector: string) => /alertname="(\w+)"/.exec(selector)?.[1];

const promtool = process.env.PROMTOOL || (await findOnPath('promtool'));
if (!promtool) {
  console.log('promtool is not there: apt-get install prometheus, or set PROMTOOL to its path.');
}

describe('the rules', () => {
  it('every alert has a case in which it fires, and one in which it is silent', async () => {
    const cases = new Set((await Promise.all(files.map(casesOf))).flat());
    const wanted = alertsOf(groups).flatMap(({ alert, labels }) => [
      `${alert} ${labels.severity} fires`,
      `${alert} is silent`,
    ]);
    expect(wanted.filter((one) => !cases.has(one))).toEqual([]);
  });

  (promtool ? it : it.skip).each(files)('promtool: %s', async (file) => {
    await copyFile(pathOf(file), join(dir, `${file}.yaml`));
    const { failed, all } = await execa(promtool || '', ['test', 'rules', `${file}.yaml`], {
      cwd: dir,
      all: true,
      reject: false,
    });
    expect({ failed, all }).toEqual({ failed: false, all: expect.stringContaining('SUCCESS') });
  });
});
