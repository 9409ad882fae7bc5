import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** Reads lines of a pid with a signal, or alone when that process has ended; at the end of its input it ends those that remain. */
const program =
  '{ if ($2) signal[$1] = $2; else delete signal[$1] } END { for (p in signal) system("kill -s " signal[p] " " p) }';

/** Registers itself before it becomes the command, which does not get the pipe: so at its end everything is registered. */
const registered = 'echo "$$ $1" >&3; shift; exec "$@" 3>&-';

interface Watch {
  pipe: Writable;
  pids: Set<number>;
}
let watch: Watch | undefined;

/**
 * Starts a process that gets a signal when this one ends, even if it is killed. That is sent by another process, which
 * notices it by the end of a pipe, as macOS has nothing else for it. The process has a process group of its own, so that a
 * Ctrl-C in the terminal does not reach it.
 */
export function spawnWatched(
  signal: NodeJS.Signals,
  command: string,
  args: string[],
  options: SpawnOptions & { stdio: [input: 'ignore', output: number, errors: number] },
): ChildProcess {
  watch ??= startWatch();
  const { pipe, pids } = watch;
  const given = ['-c', registered, 'sh', signal.slice('SIG'.length), command, ...args];
  const child = spawn('sh', given, { ...options, stdio: [...options.stdio, pipe], detached: true });
  const { pid } = child;
  if (pid === undefined) return child;
  pids.add(pid);
  child.once('exit', () => {
    pipe.write(`${pid}\n`);
    pids.delete(pid);
    if (pids.size > 0) return;
    pipe.end();
    if (watch?.pids === pids) watch = undefined;
  });
  return child;
}

function startWatch(): Watch {
  // In a session of its own, which outlives the terminal.
  const watcher = spawn('awk', [program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const pipe = watcher.stdin;
  const started = { pipe, pids: new Set<number>() };
  const forget = () => {
    if (watch === started) watch = undefined;
  };
  watcher.once('exit', forget).once('error', forget).unref();
  pipe.on('error', () => undefined); // it was killed
  (pipe as Writable & { unref(): void }).unref();
  return started;
}
