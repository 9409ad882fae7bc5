import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tools/paths.ts';
import { documents } from './_documents.ts';

const { groups } = parse(readFileSync(join(root, 'charts/store/files/alerts/store.yaml'), 'utf8'));
const alerts: string[] = groups.flatMap(({ rules }: { rules: { alert: string }[] }) => rules.map(({ alert }) => alert));
const runbooks = documents.filter(({ path }) => path.startsWith('docs/runbooks/'));

it('every alert has a runbook of its name, and every runbook an alert', () => {
  expect(alerts.length).toBeGreaterThan(0);
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
