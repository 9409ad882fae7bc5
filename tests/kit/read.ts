import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/paths.ts';

/** The text of a file, by its path in the repository. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
