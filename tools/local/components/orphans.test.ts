import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { until } from '../../../tests/kit/until.ts';
import { root } from '../../paths.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-orphans-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** Returns the group of a process, and its state, both empty where it has ended. */
async function lookUp(pid: number) {
  const { stdout } = await execa('ps', ['-o', 'pgid=,stat=', '-p', String(pid)], { reject: false });
  const [group = '', state = ''] = stdout.trim().split(/\s+/);
  return { group, state };
}

/** Starts a process that supervises another one, with nothing on PATH that macOS lacks, and one more that it stops. */
async function supervise(orphanSignal: string) {
  for (const tool of ['sh', 'awk', 'sleep', 'tail', 'cat']) {
    const { stdout } = await execa('which', [tool]);
    await symlink(stdout, join(dir, tool));
  }
  // That it ends by SIGTERM alone shows which signal it got.
  const component = 'trap "echo ended by TERM; exit" TERM; trap "" QUIT INT HUP; while :; do sleep 0.1; done';
  const program = `
    import { startProcess } from './tools/local/components/supervised-process.ts';
    const log = () => undefined;
    const given = { name: 'thing', command: 'sh', logDir: ${JSON.stringify(dir)}, log, ready: async () => true };
    const kept = await startProcess({ ...given, args: ['-c', ${JSON.stringify(component)}], orphanSignal: '${orphanSignal}' });
    const stopped = await startProcess({ ...given, name: 'other', args: ['-c', 'exec sleep 600'] });
    const pids = [kept.pid(), stopped.pid()];
    await stopped.stop();
    console.log(pids.join());
  `;
  const args = ['--input-type=module', '--eval', program];
  const supervisor = execa(process.execPath, args, { cwd: root, env: { PATH: dir }, extendEnv: false, reject: false });
  const { value: said = '' } = await supervisor[Symbol.asyncIterator]().next();
  const [kept = 0, stopped = 0] = said.split(',').map(Number);
  return { supervisor, kept, stopped };
}

it.each(['SIGTERM', 'SIGKILL'])('a process gets its signal, %s, when its supervisor is killed', async (signal) => {
  const { supervisor, kept, stopped } = await supervise(signal);
  expect((await lookUp(kept)).group).toBe(String(kept)); // not that of the terminal
  expect((await lookUp(stopped)).state).toBe('');
  supervisor.kill('SIGKILL');
  await supervisor;
  // The machine may leave a process that nobody waits for among those that have ended.
  await until('it has ended', async () => /^(Z.*)?$/.test((await lookUp(kept)).state), {
    timeoutMs: 30_000,
    intervalMs: 50,
  });
  const log = await readFile(join(dir, 'thing.log'), 'utf8');
  expect(log).toBe(signal === 'SIGTERM' ? 'ended by TERM\n' : '');
});
