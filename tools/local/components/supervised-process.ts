import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import pWaitFor from 'p-wait-for';
import { cut } from '../../../services/shared/src/values/text.ts';
import { root } from '../../paths.ts';
import { spawnWatched } from './orphans.ts';

/** A process that is restarted whenever it ends, until stop() is called. */
export interface SupervisedProcess {
  name: string;
  pid(): number | undefined;
  running(): boolean;
  /** Sends a signal. If the process ends, it is restarted. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
  /** Stops the process if it runs, starts it, and waits until it is ready. */
  restart(): Promise<void>;
}

export interface Supervision {
  /** Folder of <name>.log; the log of the previous run is kept as <name>.log.1. */
  logDir: string;
  /** Receives reports of the supervision, prefixed with the name. */
  log?: (line: string) => void;
  /** Stops the process, even while it starts. */
  signal?: AbortSignal;
}

interface ProcessOptions extends Supervision {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string | undefined>;
  /** Resolves to true once the process does its work. Called repeatedly; until then it may reject or hang. */
  ready: () => Promise<boolean>;
  stopSignal?: NodeJS.Signals;
  /** How long the process may take to stop before it is killed. Default: 10. */
  stopSeconds?: number;
  /** The signal that the process gets if this process is killed. */
  orphanSignal?: NodeJS.Signals;
}

const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** After a process has run this long, the next restart waits for the shortest pause again. */
const stableMs = 30_000;
const readyTimeoutMs = 3_000;
const readySeconds = 60;

/** Starts a process and waits until it is ready. @throws Error with the last lines of its log if it does not become ready */
export async function startProcess(options: ProcessOptions): Promise<SupervisedProcess> {
  const { name, logDir, log = () => undefined, stopSignal = 'SIGTERM', stopSeconds = 10 } = options;
  const logFile = join(logDir, `${name}.log`);
  const say = (line: string) => log(`${name}: ${line}`);
  let child: ChildProcess | undefined;
  /** The length of the log when the process started. */
  let bytesBefore = 0;
  let end: string | undefined;
  let pauseMs = firstPauseMs;
  /** Aborted by stop(); undefined until the process is ready. */
  let supervision: AbortController | undefined;

  const running = () => child !== undefined && end === undefined;
  const isReady = () =>
    Promise.race([options.ready(), sleep(readyTimeoutMs, false, { ref: false })]).catch(() => false);

  /** Synchronous, so that stop() cannot miss the process. */
  function start(): void {
    const file = openSync(logFile, 'a');
    bytesBefore = fstatSync(file).size;
    // The process writes to the file itself, so nothing is lost when this process ends.
    const started = spawnWatched(options.orphanSignal ?? 'SIGKILL', options.command, options.args, {
      cwd: root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const startedAt = Date.now();
    child = started;
    end = undefined;
    const ended = (how: string) => {
      end = how;
      if (Date.now() - startedAt > stableMs) pauseMs = firstPauseMs;
      if (supervision) startAgain(supervision.signal).catch((error) => say(`could not be restarted: ${error}`));
    };
    started.once('error', (error) => ended(`could not be started (${error.message})`));
    started.once('exit', (code, signal) => ended(signal ? `killed by ${signal}` : `exited with code ${code}`));
  }

  async function startAgain(signal: AbortSignal): Promise<void> {
    const lines = await lastLines(logFile, bytesBefore);
    if (signal.aborted) return;
    say(`${end}, restarting in ${pauseMs / 1000} s. ${lines ? `Its last lines:${lines}` : 'It wrote nothing.'}`);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    start();
    const started = child;
    const isOver = () => signal.aborted || !running() || child !== started;
    await pWaitFor(async () => isOver() || (await isReady()), { interval: 100 });
    if (!isOver()) say(`ready again (pid ${child?.pid})`);
  }

  async function waitUntilReady(): Promise<void> {
    const shown = `before it was ready. The last lines of ${logFile}:`;
    const failure = async (what: string) =>
      new Error(`${name} ${what} ${shown}${await lastLines(logFile, bytesBefore)}`);
    for (const deadline = Date.now() + readySeconds * 1000; ; await sleep(25)) {
      const ready = await isReady();
      if (!running()) throw await failure(end ?? '');
      if (ready) return;
      if (Date.now() > deadline) throw await failure(`ran ${readySeconds} s`);
    }
  }

  async function stop(): Promise<void> {
    supervision?.abort();
    supervision = undefined;
    if (!child || !running()) return;
    const stopping = child;
    const exit = once(stopping, 'exit');
    stopping.kill(stopSignal);
    stopping.kill('SIGCONT'); // a suspended process would not act on the other signal
    const timer = setTimeout(() => {
      say(`did not stop within ${stopSeconds} s, so it is killed`);
      stopping.kill('SIGKILL');
    }, stopSeconds * 1000);
    await exit;
    clearTimeout(timer);
  }

  async function restart(): Promise<void> {
    await stop();
    pauseMs = firstPauseMs;
    try {
      start();
      await waitUntilReady();
      supervision = new AbortController();
    } catch (error) {
      await stop();
      throw error;
    }
  }

  options.signal?.throwIfAborted();
  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  await mkdir(logDir, { recursive: true });
  await rename(logFile, `${logFile}.1`).catch(() => undefined);
  await restart();
  return {
    name,
    pid: () => (running() ? child?.pid : undefined),
    running,
    kill: (signal) => void child?.kill(signal),
    stop,
    restart,
  };
}

/** The last lines of a log, and before them the first error, each on an indented line. Reads from an offset, at most 256 KiB. */
async function lastLines(path: string, from: number): Promise<string> {
  const { size } = await stat(path).catch(() => ({ size: 0 })); // somebody may have removed it
  const bytes = Math.min(Math.max(size - from, 0), 256 * 1024);
  const { stdout } = await execa('tail', ['-c', String(bytes), path], { reject: false, lines: true });
  const error = stdout.slice(0, -8).find((line) => /\b(ERROR|FATAL)\b|Exception/.test(line));
  return [error ?? [], stdout.slice(-8)]
    .flat()
    .map((line) => `\n    ${cut(stripVTControlCharacters(line), 240)}`)
    .join('');
}
