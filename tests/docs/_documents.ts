import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/paths.ts';

export interface Document {
  /** From the root of the repository. */
  path: string;
  text: string;
}

/** The files of a folder and those below it. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The Markdown files at the root and below docs/ and clients/, by path. */
export const documents: Document[] = [
  ...readdirSync(root).map((name) => join(root, name)),
  ...filesBelow('docs'),
  ...filesBelow('clients').filter((file) => !file.includes('node_modules')),
]
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ path: file.slice(root.length + 1), text: readFileSync(file, 'utf8') }))
  .sort((a, b) => (a.path < b.path ? -1 : 1));

export function documentAt(path: string): Document {
  const found = documents.find((document) => document.path === path);
  if (found === undefined) throw new Error(`There is no document ${path}.`);
  return found;
}

export interface CodeBlock {
  document: string;
  /** The line number of the opening fence. */
  line: number;
  language: string;
  /** The HTML comment on the line before the block, or an empty string. */
  note: string;
  text: string;
}

const fencedBlock = /^( *)```(.*)\n([\s\S]*?)^\1```$/gm;

export const codeBlocks: CodeBlock[] = documents.flatMap(({ path, text }) =>
  [...text.matchAll(fencedBlock)].map(({ index, 1: indent = '', 2: language = '', 3: body = '' }) => {
    const before = text.slice(0, index).split('\n');
    const [, note = ''] = /^\s*<!-- (.*) -->$/.exec(before.at(-2) ?? '') ?? [];
    const block = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { document: path, line: before.length, language, note, text: block };
  }),
);

/**
 * The scripts that a test must run: for each document, one script of the blocks that name the test, in order.
 * @param test path of the test from the root
 */
export function scriptsRunBy(test: string): { document: string; script: string }[] {
  const scripts = new Map<string, string>();
  for (const { document, note, text } of codeBlocks) {
    if (note === `run by ${test}`) scripts.set(document, (scripts.get(document) ?? '') + text);
  }
  return [...scripts].map(([document, script]) => ({ document, script }));
}

/** The words of a cell or text that are marked as code. */
export const inCode = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
