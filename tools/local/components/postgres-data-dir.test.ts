import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { prepareDataDir } from './postgres-data-dir.ts';

const dir = useFolder();
beforeAll(() => writeFile(join(dir, 'PG_VERSION'), '18\n'));

const program = { initdb: '', postgres: '', through: [] };
const pidFile = () => readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => undefined);

async function prepareAfter(pid: number): Promise<void> {
  await writeFile(join(dir, 'postmaster.pid'), `${pid}\n${dir}\n`);
  await prepareDataDir(dir, program, '');
}

it('removes the pid of a crashed server if it belongs to another process now, or to none', async () => {
  await prepareAfter(process.pid);
  expect(await pidFile()).toBeUndefined();
  await prepareAfter(2 ** 22 + 1); // above the maximum of Linux and macOS
  expect(await pidFile()).toBeUndefined();
});

it('keeps the pid of a running PostgreSQL, which then refuses a second server', async () => {
  await copyFile((await execa('which', ['sleep'])).stdout, join(dir, 'postgres'));
  const running = execa(join(dir, 'postgres'), ['600'], { reject: false });
  await prepareAfter(running.pid ?? 0);
  expect(await pidFile()).toMatch(new RegExp(`^${running.pid}\n`));
  running.kill();
  await running;
});

it('keeps the pid if there is no ps', async () => {
  const { PATH } = process.env;
  process.env.PATH = dir;
  try {
    await prepareAfter(process.pid);
  } finally {
    process.env.PATH = PATH;
  }
  expect(await pidFile()).toMatch(new RegExp(`^${process.pid}\n`));
});
