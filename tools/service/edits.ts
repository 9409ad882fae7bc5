import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.ts';

/** The replacement gets the match, its groups, and last the whole text. */
type Edit = [path: string, place: RegExp, replacement: (...found: string[]) => string];

/**
 * Returns the edits for a new service in the files that list services. They edit text, because a YAML library would reformat other
 * comments and anchors.
 */
export function editsFor(name: string, route: string, localPort: number): Edit[] {
  const sectionAfter = (text: string) =>
    Math.max(...[...text.matchAll(/^\*\*4\.(\d+) /gm)].map(([, n]) => Number(n))) + 1;
  const title = route.slice(1, 2).toUpperCase() + route.slice(2);
  const block = `${name}:\n  image: ${name}\n  localPort: ${localPort}\n  database: ${name}\n`;
  return [
    [
      'charts/store/Chart.yaml',
      /(?<=^ {2}- \{ name: service, version: (.+), alias: \w+(?:, condition: \w+\.enabled)? \}\n)$(?![\s\S])/m,
      (_, version) => `  - { name: service, version: ${version}, alias: ${name} }\n`,
    ],
    ['charts/store/values.yaml', /^ {2}routes:\n(?: {4}\/.*\n)+/m, (routes) => `${routes}    ${route}: ${name}\n`],
    ['charts/store/values.yaml', /\n*$(?![\s\S])/, () => `\n\n${block}`],
    ['charts/store/presets/prod.yaml', /^(?:\w+: .*\*checksTokens.*\n)+/m, (all) => `${all}${name}: *checksTokens\n`],
    ['docs/local-run.md', /(?=, console \d)/, () => `, ${name} ${localPort}`],
    // A placeholder: if the service stores personal data, its author has to say here how it is deleted.
    [
      'docs/security.md',
      /(?=\| `order\.order_details\.)/,
      () => `| \`${name}.entries.text\` | written by the customer: it stays |\n`,
    ],
    [
      'docs/contract.md',
      /^(?=## 5 Collections$)/m,
      (_, text) => `**4.${sectionAfter(text)} ${title}.** Customers see their own ${title.toLowerCase()} only.\n\n`,
    ],
  ];
}

/**
 * The edited files, by path. Nothing is written yet.
 * @throws Error that names a file without the place where the entry belongs
 */
export async function edited(edits: Edit[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [path, place, replacement] of edits) {
    const text = texts.get(path) ?? (await readFile(join(root, path), 'utf8'));
    if (!place.test(text))
      throw new Error(
        `${path} no longer has the structure that make service expects (tools/service). Nothing is written.`,
      );
    const replaced = (...found: unknown[]) => replacement(...found.filter((one) => typeof one === 'string'));
    texts.set(path, text.replace(place, replaced));
  }
  return texts;
}
