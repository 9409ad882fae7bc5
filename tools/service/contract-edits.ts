import type { Edit, NewService } from './edits.ts';

const path = 'docs/contract.md';

/** Writes the section of a new service, and its port. */
export function contractEdits({ name, route, localPort }: NewService): Edit[] {
  const nextSection = (text: string) =>
    Math.max(...[...text.matchAll(/^\*\*4\.(\d+) /gm)].map(([, n]) => Number(n))) + 1;
  const title = route.slice(1, 2).toUpperCase() + route.slice(2);
  return [
    ['docs/local-run.md', /(?=, console \d)/, () => `, ${name} ${localPort}`],
    [
      path,
      /^(?=## 5 Collections$)/m,
      (_, text) => `**4.${nextSection(text)} ${title}.** Customers see their own ${title.toLowerCase()} only.\n\n`,
    ],
  ];
}
