import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { isMap, type Pair, parse, parseDocument, type YAMLMap } from 'yaml';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { variableRows } from './variables.ts';

// charts/store/README.md, from the comments of values.yaml by the conventions of helm-docs: a description begins with "# --"
// and ends at its value. Where a map is described as a whole, only those of its values are listed that are described too.

export const readmePath = 'charts/store/README.md';

type Row = [key: string, type: string, value: string, description: string];

const chart = join(root, 'charts/store');
const read = (path: string) => readFileSync(join(chart, path), 'utf8');

/** @param isTopology which keys at the top hold values of services that only a change of the topology changes */
function rowsOf(path: string, prefix = '', isTopology = (_key: string) => false): Row[] {
  const document = parseDocument(read(path), { merge: true });
  const values = document.toJS();
  return rowsOfMap(document.contents as YAMLMap<{ value: string }>, values, prefix, isTopology);
}

function rowsOfMap(
  map: YAMLMap<{ value: string }>,
  values: Record<string, unknown>,
  prefix: string,
  isBrief: (key: string) => boolean,
): Row[] {
  return map.items.flatMap((pair, index) => {
    const key = pair.key.value;
    // The first comment is that of the map.
    const description = descriptionIn((index === 0 && map.commentBefore) || commentOf(pair));
    const value = values[key];
    const row: Row = [code(`${prefix}${key}`), typeOf(value), code(JSON.stringify(value)), description ?? ''];
    const isDescribed = description !== undefined;
    const isLeaf = !isMap(pair.value) || pair.value.items.length === 0;
    const own = isDescribed || (isLeaf && !isBrief(key)) ? [row] : [];
    if (isLeaf) return own;
    const inner = pair.value as YAMLMap<{ value: string }>;
    const isInnerBrief = isDescribed || isBrief(key) ? () => true : () => false;
    return [...own, ...rowsOfMap(inner, value as Record<string, unknown>, `${prefix}${key}.`, isInnerBrief)];
  });
}

const code = (text: string) => `\`${text}\``;

const commentOf = ({ key }: Pair) => (key as { commentBefore?: string | null }).commentBefore;

function descriptionIn(comment?: string | null): string | undefined {
  const lines = comment?.split('\n').map((line) => line.trim()) ?? [];
  const first = lines.findLastIndex((line) => line.startsWith('-- '));
  return first === -1 ? undefined : lines.slice(first).join(' ').slice('-- '.length);
}

function typeOf(value: unknown): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { boolean: 'bool', object: 'object', string: 'string' }[typeof value as string] ?? '';
}

function tableOf(rows: string[][], header = ['Key', 'Type', 'Default', 'Description']): string {
  const cells = rows.map((row) =>
    row.map((cell) => (cell.startsWith('`') ? cell : cell.replaceAll('<', '&lt;')).replaceAll('|', '\\|')),
  );
  return markdownTable([header, ...cells], { padding: false, alignDelimiters: false });
}

/** The text of README.md. */
export async function chartReadme(): Promise<string> {
  const { description, home, kubeVersion } = parse(read('Chart.yaml'));
  const isService = (key: string) => topology.services.some(({ alias }) => alias === key);
  const subcharts = readdirSync(join(chart, 'charts')).filter((name) => name !== 'service');
  return `# store

<!-- Written by make golden, from Chart.yaml, the comments of values.yaml and the configuration of the services. -->

${description}: accounts, a catalogue, orders whose events travel over Kafka, and station status records.
How to install and operate it: [Kubernetes](${home}/blob/main/docs/kubernetes.md); everything else: [sources and documents](${home}).

## Install

\`\`\`sh
helm install store oci://registry.example.com/store/charts/store --namespace store --create-namespace
\`\`\`

The registry is that of the release; the sources need \`global.image.repository\`.
Without values it is for development, with a PostgreSQL and a Kafka of one node each; production begins with
[presets/prod.yaml](${home}/blob/main/charts/store/presets/prod.yaml), which is in the archive:

\`\`\`sh
helm pull oci://registry.example.com/store/charts/store --untar
helm install store ./store --namespace store --create-namespace -f store/presets/prod.yaml
\`\`\`

Beside it, \`presets/cloudnative-pg.yaml\` has PostgreSQL run by CloudNativePG, and \`presets/prod-20.yaml\`, \`prod-100.yaml\` and
\`prod-1000.yaml\` the sizes for as many orders per second. The chart needs Kubernetes ${code(kubeVersion)} and Helm 3.14 or later.

## Values

${tableOf(rowsOf('values.yaml', '', isService))}

### Of each service

Below its name, such as ${code('order.replicas')}.

${tableOf(rowsOf('charts/service/values.yaml', '<service>.'))}

${subcharts.map((name) => `### Of ${name}\n\n${tableOf(rowsOf(`charts/${name}/values.yaml`, `${name}.`))}\n`).join('\n')}
## Environment variables

What a process reads from its environment, once, at its start. The chart sets addresses, credentials and Kafka by itself; the others are
${code('<service>.env')}, those of the order worker ${code('orderworker.env')}. \`consumers\` is the image of notification, analytics and invoice.

${tableOf(await variableRows(), ['Variable', 'Used by', 'Default', 'Description'])}
`;
}
