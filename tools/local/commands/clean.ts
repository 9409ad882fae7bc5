import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../../paths.ts';
import { tryLock } from '../lock.ts';

const unlock = await tryLock(cacheDir);
if (!unlock) {
  console.error('The store is running: stop it first (Ctrl-C where make run is).');
  process.exit(1);
}
for (const name of ['data', 'log', 'gateway']) await rm(join(cacheDir, name), { recursive: true, force: true });
await unlock();
console.log('Forgotten: data, keys and logs. What was fetched is kept in .cache/tools.');
