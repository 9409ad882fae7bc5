import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads lines with a pid and a signal, or only a pid when that process has ended. At the end of its input it sends the signals to
 * the remaining processes.
 */
const program =
  '{ if ($2) signal[$1] = $2; else delete signal[$1] } END { for (p in signal) system("kill -s " signal[p] " " p) }';

/** Registers its pid, then becomes the command, which does not inherit the pipe. So when the pipe ends, all pids are registered. */
const registered = 'echo "$$ $1" >&3; shift; exec "$@" 3>&-';

/** Writes to that program. */
let watch: Writable | undefined;

/**
 * Starts a process that gets a signal when this process ends, even if this process is killed. A third process sends the signal when
 * a pipe ends, because macOS has no other way. The started process has its own process group, so that Ctrl-C in the terminal does
 * not reach it.
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
  // In its own session, which outlives the terminal.
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
