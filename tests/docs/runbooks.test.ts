import { basename } from 'node:path';
import { alertsOf, ruleGroups } from '../../tools/chart/alerts.ts';
import { documents } from './_documents.ts';

const runbooks = documents.filter(({ path }) => path.startsWith('docs/runbooks/Store'));

it('every alert has a runbook of its name, and every runbook an alert', async () => {
  const alerts = new Set(alertsOf(await ruleGroups()).map(({ alert }) => alert));
  expect(alerts.size).toBeGreaterThan(0);
  expect(runbooks.map(({ path }) => basename(path, '.md')).sort()).toEqual([...alerts].sort());
});

it.each(runbooks)(
  '$path says what it means, what it does, how to find the cause, correct it and verify',
  ({ path, text }) => {
    const name = basename(path, '.md');
    const parts = [
      `# ${name}\n`,
      '\n**Meaning.** ',
      '\n**Impact.** ',
      '\n## Diagnose\n',
      '\n## Fix\n',
      '\n## Verify\n',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  },
);
