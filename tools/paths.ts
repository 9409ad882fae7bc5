import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** What the local run makes: fetched tools, data, logs. Not in git, safe to delete while the store is stopped. */
export const cacheDir = join(root, '.cache');
