import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oneLine } from '../bench/machine.ts';
import { root } from '../paths.ts';
import type { Costs } from './costs.ts';
import { ceilingTable, costTable } from './tables.ts';

const file = join(root, 'docs/scaling.md');

/** The texts of docs/scaling.md between `<!-- figures: NAME -->` and `<!-- end -->`, by name. */
export const figures = (costs: Costs): Record<string, string> => ({
  measured: `Measured on ${costs.measuredAt.slice(0, 10)}, commit \`${costs.commit.slice(0, 12)}\`: ${oneLine(costs.machine)}.`,
  costs: costTable(costs),
  ceilings: ceilingTable(costs),
});

/** @throws Error where the text lacks a block or has an unknown one */
export function withFigures(text: string, costs: Costs): string {
  const missing = new Map(Object.entries(figures(costs)));
  const result = text.replaceAll(/(<!-- figures: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g, (_, begin, name, end) => {
    const block = missing.get(name);
    if (block === undefined) throw new Error(`docs/scaling.md has figures twice or unknown ones: ${name}`);
    missing.delete(name);
    return `${begin}\n${block}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`docs/scaling.md lacks figures: ${[...missing.keys()].join(', ')}`);
  return result;
}

export async function writeFigures(costs: Costs): Promise<void> {
  await writeFile(file, withFigures(await readFile(file, 'utf8'), costs));
}
