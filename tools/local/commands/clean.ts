import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { tryLock } from '../lock.ts';

await new Tool('make clean')
  .description('Deletes the data, keys and logs of the stopped store. Keeps downloaded tools.')
  .action(async () => {
    const unlock = await tryLock(join(cacheDir, 'lock'));
    if (!unlock) throw new Error('The store is running: stop it first (Ctrl-C in the terminal of make run).');
    for (const name of ['data', 'log', 'gateway']) await rm(join(cacheDir, name), { recursive: true, force: true });
    await unlock();
    console.log('Deleted data, keys and logs. Downloaded tools are kept in .cache/tools.');
  })
  .run();
