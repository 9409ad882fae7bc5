import type { Edit, NewService } from './edits.ts';

const path = 'docs/contract.md';

/** Writes the rows and the section of a new service. */
export function contractEdits({ name, route, localPort }: NewService): Edit[] {
  const nextSection = (text: string) =>
    Math.max(...[...text.matchAll(/^### 4\.(\d+) /gm)].map(([, n]) => Number(n))) + 1;
  const title = route.slice(1, 2).toUpperCase() + route.slice(2);
  return [
    ['docs/local-run.md', /(?=, console \d)/, () => `, ${name} ${localPort}`],
    [
      path,
      /(?<=^\| Collection \| (?:.+\n)+)(?=\n)/m,
      () => `| \`${route}\` | array | 20, at most 100 | \`createdAt\` | \`createdAt,desc\` |\n`,
    ],
    [
      path,
      /^(?=## 5 Collections$)/m,
      (_, text) => `### 4.${nextSection(text)} ${title}\n\nCustomers see their own ${title.toLowerCase()} only.\n\n`,
    ],
  ];
}
