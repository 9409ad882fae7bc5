import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../tests/kit/folder.ts';
import { root } from '../paths.ts';
import { tryLock } from './lock.ts';

const dir = useFolder();

it('gives a lock to one process at a time, and frees it when that process is killed', async () => {
  const path = join(dir, 'folder/lock');
  const program = `
    import { tryLock } from './tools/local/lock.ts';
    globalThis.unlock = await tryLock(${JSON.stringify(path)});
    setInterval(() => undefined, 1000);
    console.log(typeof unlock);
  `;
  const args = ['--input-type=module', '--eval', program];
  const holder = execa(process.execPath, args, { cwd: root, reject: false });
  expect(await holder[Symbol.asyncIterator]().next()).toMatchObject({ value: 'function' });
  expect(await tryLock(path)).toBeUndefined();
  expect(await tryLock(join(dir, 'folder/other'))).toBeDefined();
  holder.kill('SIGKILL');
  await holder;
  const unlock = await tryLock(path);
  await unlock?.();
  expect(await tryLock(path)).toBeDefined();
});

it('runs the commands of make one after another, and passes on their exit codes', async () => {
  const path = join(dir, 'lock');
  const log = join(dir, 'log');
  const command = `echo begin >> ${log}; sleep 0.3; echo end >> ${log}; exit 3`;
  const args = [join(root, 'tools/alone.py'), path, 'sh', '-c', command];
  const ended = await Promise.all([1, 2, 3].map(() => execa('python3', args, { reject: false })));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([3, 3, 3]);
  expect(await readFile(log, 'utf8')).toBe('begin\nend\n'.repeat(3));
});
