import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** Reads lines of a pid with a signal, or alone when that process has ended; at the end of its input it ends those that remain. */
const program =
  '{ if ($2) signal[$1] = $2; else delete signal[$1] } END { for (p in signal) system("kill -s " signal[p] " " p) }';

/** Registers itself before it becomes the command, which does not get the pipe: so at its end everything is registered. */
const registered = 'echo "$$ $1" >&3; shift; exec "$@" 3>&-';

/** Writes to that program. */
let watch: Writable | undefined;

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
  const pipe = watch;
  const given = ['-c', registered, 'sh', signal.slice('SIG'.length), command, ...args];
  const child = spawn('sh', given, { ...options, stdio: [...options.stdio, pipe], detached: true });
  child.once('exit', () => pipe.write(`${child.pid}\n`));
  return child;
}

function startWatch(): Writable {
  // In a session of its own, which outlives the terminal.
  const watcher = spawn('awk', [program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const forget = () => {
    watch = undefined;
  };
  watcher.once('exit', forget).once('error', forget).unref();
  const pipe: Writable & { unref?(): void } = watcher.stdin;
  pipe.on('error', () => undefined); // it was killed
  pipe.unref?.();
  return pipe;
}
