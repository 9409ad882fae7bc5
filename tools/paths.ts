import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Downloaded tools, and data and logs of the local run. Not in Git; may be deleted while the store is stopped. */
export const cacheDir = join(root, '.cache');
