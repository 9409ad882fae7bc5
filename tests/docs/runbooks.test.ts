import { alertsOf, ruleGroups } from '../../tools/chart/alerts.ts';
import { documents } from './_documents.ts';

const pages = documents.filter(({ path }) => path.startsWith('docs/runbooks/'));
const sections = pages.flatMap(({ path, text }) =>
  text
    .split(/^## (?=Store)/m)
    .slice(1)
    .map((section) => {
      const [name = ''] = section.split('\n', 1);
      return { name, url: `${path}#${name.toLowerCase()}`, section };
    }),
);

it('every alert links to its runbook, and every runbook has an alert', async () => {
  const linked = alertsOf(await ruleGroups()).map(({ annotations }) => annotations.runbook_url);
  expect(linked.length).toBeGreaterThan(20);
  expect(sections.map(({ url }) => url).sort()).toEqual([...new Set(linked)].sort());
});

it.each(sections)('$name says what it means, what it does and how to correct it', ({ section }) => {
  expect(section).toMatch(/^.*\n\n.+\*\*Impact:\*\*\s.*\n\*\*Fix\.\*\*/s);
});
