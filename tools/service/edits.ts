import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.ts';

export interface NewService {
  name: string;
  /** Its prefix at the gateway. */
  route: string;
  localPort: number;
}

/** The replacement gets what was found, its groups, and the whole text last. */
export type Edit = [path: string, place: RegExp, replacement: (...found: string[]) => string];

/**
 * The edited files, by path. Nothing is written yet.
 * @throws Error that names a file without the place where the entry belongs
 */
export async function edited(edits: Edit[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [path, place, replacement] of edits) {
    const text = texts.get(path) ?? (await readFile(join(root, path), 'utf8'));
    if (!place.test(text)) {
      throw new Error(`${path} no longer has the form that make service knows (tools/service). Nothing is written.`);
    }
    texts.set(
      path,
      text.replace(place, (...found) => replacement(...found.filter((one) => typeof one === 'string'))),
    );
  }
  return texts;
}

export async function writeAll(texts: Map<string, string>): Promise<void> {
  for (const [path, text] of texts) await writeFile(join(root, path), text);
}
