import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { isMap, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { withBlocks } from '../written-blocks.ts';
import { variableRows } from './variables.ts';

// charts/store/README.md, from the comments of values.yaml by the conventions of helm-docs: a description begins with "# --"
// and ends at its value. Where a map is described as a whole, only those of its values are listed that are described too.

type Row = [key: string, value: string, description: string];

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
    const row: Row = [code(`${prefix}${key}`), code(JSON.stringify(value)), description ?? ''];
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

function tableOf(rows: string[][], header = ['Key', 'Default', 'Description']): string {
  const cells = rows.map((row) =>
    row.map((cell) => (cell.startsWith('`') ? cell : cell.replaceAll('<', '&lt;')).replaceAll('|', '\\|')),
  );
  return markdownTable([header, ...cells], { padding: false, alignDelimiters: false });
}

/** Returns README.md with these tables, by its path. */
export async function chartReadme(): Promise<Record<string, string>> {
  const isService = (key: string) => topology.services.some(({ alias }) => alias === key);
  const subcharts = readdirSync(join(chart, 'charts')).filter((name) => name !== 'service');
  const tables = subcharts.map((name) => [name, tableOf(rowsOf(`charts/${name}/values.yaml`, `${name}.`))]);
  const path = 'charts/store/README.md';
  const blocks = {
    values: tableOf(rowsOf('values.yaml', '', isService)),
    service: tableOf(rowsOf('charts/service/values.yaml', '<service>.')),
    ...Object.fromEntries(tables),
    variables: tableOf(await variableRows(), ['Variable', 'Used by', 'Default', 'Description']),
  };
  return { [path]: withBlocks(path, blocks) };
}
