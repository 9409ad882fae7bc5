import { setImmediate } from 'node:timers/promises';
import { parseBounded } from '@store/shared/http/bounded-json';
import { DomainError } from '@store/shared/values/errors';
import { sentenceOf } from '@store/shared/values/sentences';
import { cut } from '@store/shared/values/text';
import type { z } from 'zod';
import { importLine } from '../schemas.ts';
import { type ImportLine, type LineError, type ParsedLines, repeatedSku } from './import-repository.ts';
import { maxLineBytes } from './part-splitter.ts';

/** So many lines are parsed in a millisecond or two, after which requests have their turn. */
const atOnce = 50;

/** Parses the lines of a part. */
export async function parseLines(lines: Uint8Array, firstLine: number): Promise<ParsedLines> {
  const products = new Map<string, ImportLine>();
  const errors: LineError[] = [];
  let line = firstLine;
  for (let from = 0; from < lines.length; line += 1) {
    const next = lines.indexOf(0x0a, from);
    const end = next === -1 ? lines.length : next;
    const parsed = parseLine(lines.subarray(from, end), line === 1);
    if (typeof parsed === 'string') errors.push({ line, message: parsed });
    else if (parsed !== undefined && products.has(parsed.sku)) errors.push({ line, message: repeatedSku });
    else if (parsed !== undefined) products.set(parsed.sku, { ...parsed, line });
    from = end + 1;
    if ((line - firstLine) % atOnce === atOnce - 1) await setImmediate();
  }
  return { linesRead: line - firstLine, products: [...products.values()], errors };
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** @returns undefined for an empty line, a message if it cannot be imported */
function parseLine(bytes: Uint8Array, isFirst: boolean): z.output<typeof importLine> | string | undefined {
  if (bytes.length > maxLineBytes) return `is longer than ${maxLineBytes / 1024} KiB`;
  const hasMark = isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = hasMark ? bytes.subarray(3) : bytes;
  if (isBlank(text)) return undefined;
  try {
    const { data, error } = importLine.safeParse(parseBounded('The line', text, true), { error: sentenceOf('body') });
    if (data !== undefined) return data;
    const sentences = error.issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`);
    return cut(sentences.join('; '), 300);
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}
