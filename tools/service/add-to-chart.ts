import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.ts';

export interface NewService {
  name: string;
  /** Its prefix at the gateway. */
  route: string;
  localPort: number;
}

type Edit = [path: string, place: RegExp, replacement: (...found: string[]) => string];

/** As text, because a YAML library would reformat the comments and anchors of the rest. */
function editsFor({ name, route, localPort }: NewService): Edit[] {
  const variables = `    "${name}": {
      "properties": {
        "env": {
          "allOf": [{ "$ref": "#/definitions/env" }],
          "propertyNames": { "enum": ["BEARER_VALIDATION", "BEARER_JWKS_URL"] }
        }
      }
    }`;
  const block = `${name}:\n  image: ${name}\n  localPort: ${localPort}\n  database: ${name}\n`;
  return [
    [
      'charts/store/Chart.yaml',
      /(?<=^ {2}- \{ name: service, version: (.+), alias: \w+ \}\n)$(?![\s\S])/m,
      (_, version) => `  - { name: service, version: ${version}, alias: ${name} }\n`,
    ],
    ['charts/store/values.yaml', /^ {2}routes:\n(?: {4}\/.*\n)+/m, (routes) => `${routes}    ${route}: ${name}\n`],
    ['charts/store/values.yaml', /\n*$(?![\s\S])/, () => `\n\n${block}`],
    ['charts/store/values.schema.json', /\n {2}\},\n {2}"additionalProperties": /, (end) => `,\n${variables}${end}`],
    ['k8s/values-prod.yaml', /^(?:\w+: \*scaled\n)+/m, (scaled) => `${scaled}${name}: *scaled\n`],
  ];
}

/**
 * The files of the chart with the service in them, by path. Nothing is written yet.
 * @throws Error that names a file without the place where the entry belongs
 */
export async function chartWith(service: NewService): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [path, place, replacement] of editsFor(service)) {
    const text = texts.get(path) ?? (await readFile(join(root, path), 'utf8'));
    if (!place.test(text)) {
      throw new Error(
        `${path} no longer has the form that make service knows (tools/service/add-to-chart.ts). Nothing is written.`,
      );
    }
    texts.set(path, text.replace(place, replacement));
  }
  return texts;
}

export async function writeAll(texts: Map<string, string>): Promise<void> {
  for (const [path, text] of texts) await writeFile(join(root, path), text);
}
