import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { isMap, parseDocument, type YAMLMap } from 'yaml';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { withBlocks } from '../written-blocks.ts';
import { variableRows } from './variables.ts';

// Writes the tables of charts/store/README.md from the comments of values.yaml, by the conventions of helm-docs: a description begins
// with "# --" and ends at its value. If a map has a description, only its values with descriptions are listed.

type Row = [key: string, value: string, description: string];
type Values = YAMLMap<{ value: string; commentBefore?: string }>;

const chart = join(root, 'charts/store');

/** @param briefKeys keys at the top level of which only values with descriptions are listed: the rest is topology */
function rowsOf(path: string, prefix = '', briefKeys: string[] = []): Row[] {
  const document = parseDocument(readFileSync(join(chart, path), 'utf8'), { merge: true });
  return rowsOfMap(document.contents as Values, document.toJS(), prefix, (key) => briefKeys.includes(key));
}

/** @param isBrief true for a key of which only values with descriptions are listed */
function rowsOfMap(map: Values, values: Record<string, unknown>, prefix: string, isBrief: (key: string) => boolean) {
  return map.items.flatMap(({ key: { value: key, commentBefore }, value: node }, index): Row[] => {
    // The comment before the first key belongs to the map.
    const description = descriptionIn((index === 0 && map.commentBefore) || commentBefore);
    const value = values[key];
    const hidden = isBrief(key);
    const isLeaf = !isMap(node) || node.items.length === 0;
    const row: Row = [code(`${prefix}${key}`), code(JSON.stringify(value)), description ?? ''];
    const own = description !== undefined || (isLeaf && !hidden) ? [row] : [];
    if (isLeaf) return own;
    const isInnerBrief = () => hidden || description !== undefined;
    return [...own, ...rowsOfMap(node as Values, value as Record<string, unknown>, `${prefix}${key}.`, isInnerBrief)];
  });
}

const code = (text: string) => `\`${text}\``;

export function descriptionIn(comment?: string | null): string | undefined {
  const trimmed = comment?.split('\n').map((line) => line.trim()) ?? [];
  const lines = trimmed.filter((line) => !line.startsWith('@schema '));
  const first = lines.findLastIndex((line) => line.startsWith('-- '));
  return first === -1 ? undefined : lines.slice(first).join(' ').slice('-- '.length);
}

function tableOf(rows: string[][], header = ['Key', 'Default', 'Description']): string {
  const cells = rows.map((row) =>
    row.map((cell) => (cell.startsWith('`') ? cell : cell.replaceAll('<', '&lt;')).replaceAll('|', '\\|')),
  );
  return markdownTable([header, ...cells], { padding: false, alignDelimiters: false });
}

/** Returns the text of README.md with its tables, by its path. */
export async function chartReadme(): Promise<Record<string, string>> {
  const subcharts = readdirSync(join(chart, 'charts')).filter((name) => name !== 'service');
  const tables = subcharts.map((name) => [name, tableOf(rowsOf(`charts/${name}/values.yaml`, `${name}.`))]);
  const path = 'charts/store/README.md';
  const services = topology.services.map(({ alias }) => alias);
  const blocks = {
    values: tableOf(rowsOf('values.yaml', '', services)),
    service: tableOf(rowsOf('charts/service/values.yaml', '<service>.')),
    ...Object.fromEntries(tables),
    variables: tableOf(await variableRows(), ['Variable', 'Used by', 'Default', 'Description']),
  };
  return { [path]: withBlocks(path, blocks) };
}
