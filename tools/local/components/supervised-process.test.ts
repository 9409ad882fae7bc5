import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { until } from '../../../tests/kit/until.ts';
import { root } from '../../paths.ts';
import { startProcess } from './supervised-process.ts';

const dir = useFolder();
const given = { name: 'thing', command: 'sh', logDir: dir, ready: async () => true };

it('shows the last lines of a process that has ended, but none of the process before it', async () => {
  const said: string[] = [];
  const process = await startProcess({
    ...given,
    args: ['-c', `test -f ${dir}/second && exit 4; touch ${dir}/second; echo bad luck; sleep 0.5; exit 3`],
    log: (line) => said.push(line),
  });
  try {
    await until('it has ended twice', async () => said.some((line) => line.includes('code 4')));
    expect(said.filter((line) => line.includes('restarting'))).toEqual([
      'thing: exited with code 3, restarting in 0.25 s. Its last lines:\n    bad luck',
      'thing: exited with code 4, restarting in 0.5 s. It wrote nothing.',
    ]);
  } finally {
    await process.stop();
  }
});

it('also shows the first error of a process that writes many lines after it', async () => {
  const script = 'echo starting; echo ERROR port in use; seq -f "INFO closing %g" 20; exit 3';
  const ready = async () => false;
  const start = startProcess({ ...given, name: 'talkative', args: ['-c', script], ready });
  const shown = ['ERROR port in use', ...Array.from({ length: 8 }, (_, n) => `INFO closing ${n + 13}`)];
  await expect(start).rejects.toThrow(shown.map((line) => `\n    ${line}`).join(''));
});

it('runs only once if it is restarted just after it has ended', async () => {
  const said: string[] = [];
  const file = join(dir, 'pids');
  const pids = async () => (await readFile(file, 'utf8')).trim().split('\n');
  let ended = 0;
  const process = await startProcess({
    ...given,
    name: 'restarted',
    args: ['-c', `echo $$ >>${file}; exec sleep 600`],
    log: (line) => said.push(line),
    ready: async () => (await pids()).length > ended,
  });
  const end = async () => {
    process.kill('SIGKILL');
    ended += 1;
    while (process.running()) await setImmediate();
  };
  try {
    await end();
    await process.restart();
    await end();
    await until('it is ready again', async () => said.some((line) => line.includes('ready again')));
    expect(await pids()).toHaveLength(3);
  } finally {
    await process.stop();
  }
});

/** Returns the group and the state of a process, both empty if it has ended. */
async function lookUp(pid = 0) {
  const { stdout } = await execa('ps', ['-o', 'pgid=,stat=', '-p', String(pid)], { reject: false });
  const [group = '', state = ''] = stdout.trim().split(/\s+/);
  return { group, state };
}

it.each(['SIGTERM', 'SIGKILL'])(
  'sends a process its signal, %s, when the supervisor is killed',
  async (orphanSignal) => {
    const bin = join(dir, orphanSignal);
    await mkdir(bin); // PATH has only programs that macOS has
    for (const tool of ['sh', 'awk', 'sleep', 'tail', 'cat']) {
      await symlink((await execa('which', [tool])).stdout, join(bin, tool));
    }
    // It writes only on SIGTERM, which shows which signal it got.
    const component = 'trap "echo ended by TERM; exit" TERM; trap "" QUIT INT HUP; while :; do sleep 0.1; done';
    const kept = { ...given, name: orphanSignal, args: ['-c', component], orphanSignal };
    const stopped = { ...given, name: 'other', args: ['-c', 'exec sleep 600'] };
    const program = `
    import { startProcess } from './tools/local/components/supervised-process.ts';
    const start = (options) => startProcess({ ...options, log: () => undefined, ready: async () => true });
    const kept = await start(${JSON.stringify(kept)});
    const stopped = await start(${JSON.stringify(stopped)});
    const pids = [kept.pid(), stopped.pid()];
    await stopped.stop();
    console.log(pids.join());
  `;
    const args = ['--input-type=module', '--eval', program];
    const supervisor = execa(process.execPath, args, {
      cwd: root,
      env: { PATH: bin },
      extendEnv: false,
      reject: false,
    });
    const { value: said = '' } = await supervisor[Symbol.asyncIterator]().next();
    const [pid, other] = said.split(',').map(Number);
    expect((await lookUp(pid)).group).toBe(String(pid)); // not the terminal's
    expect((await lookUp(other)).state).toBe('');
    supervisor.kill('SIGKILL');
    await supervisor;
    // A process that nobody waits for may remain as a zombie.
    await until('it has ended', async () => /^(Z.*)?$/.test((await lookUp(pid)).state), { intervalMs: 50 });
    const log = await readFile(join(dir, `${orphanSignal}.log`), 'utf8');
    expect(log).toBe(orphanSignal === 'SIGTERM' ? 'ended by TERM\n' : '');
  },
);
