import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

/**
 * Returns the text of a file of the repository with its blocks replaced. A block lies between a comment "written: NAME" and the
 * next comment "end".
 */
export function withBlocks(path: string, blocks: Record<string, string>): string {
  const missing = new Set(Object.keys(blocks));
  const text = readFileSync(join(root, path), 'utf8');
  const block = /(^ *(?:#|<!--) written: (\w+).*\n)[\s\S]*?(?=^ *(?:#|<!--) end\b)/gm;
  const result = text.replaceAll(block, (_, begin, name) => {
    if (!missing.delete(name))
      throw new Error(`${path} has a duplicate block, or a block that nothing writes: ${name}`);
    return `${begin}${blocks[name]}\n`;
  });
  if (missing.size > 0) throw new Error(`${path} has no place for ${[...missing].join(', ')}.`);
  return result;
}
