import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../../paths.ts';

/** One process of the store, watched: however it ends, it is started again until stop() is called. */
export interface SupervisedProcess {
  name: string;
  pid(): number | undefined;
  running(): boolean;
  /** Sends the signal and leaves the rest to the watching: after SIGKILL the part comes back by itself. */
  kill(signal: NodeJS.Signals): void;
  /** Ends it and keeps it ended. */
  stop(): Promise<void>;
  /** Ends it where it runs, starts it, and waits until it is ready. */
  restart(): Promise<void>;
}

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string | undefined>;
  /** Folder of <name>.log; the log of the start before is kept as <name>.log.1. */
  logDir: string;
  /** Gets what there is to say about the part, prefixed with its name: ended, started again. */
  log: (line: string) => void;
  /** True once it does its work; asked again and again, may throw or hang meanwhile. */
  ready: () => Promise<boolean>;
  readySeconds?: number;
  stopSignal?: NodeJS.Signals;
  stopSeconds?: number;
  /** What the kernel sends it when this process is killed. */
  orphanSignal?: NodeJS.Signals;
  /** Further options of setpriv, for example another user. */
  privileges?: string[];
  /** Stops it, also while it is being started. */
  signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const STABLE_MS = 30_000;
const LONGEST_ANSWER_MS = 3_000;

export async function startProcess(options: ProcessOptions): Promise<SupervisedProcess> {
  const { name, logDir, log, stopSignal = 'SIGTERM', stopSeconds = 10, readySeconds = 60 } = options;
  const logFile = join(logDir, `${name}.log`);
  const say = (line: string) => log(`${name}: ${line}`);
  let state: 'stopped' | 'starting' | 'watched' = 'stopped';
  let child: ChildProcess | undefined;
  let howItEnded = '';
  let pauseMs = FIRST_PAUSE_MS;
  let pause = new AbortController();

  // A question to a part that is just starting may stay without answer for ever.
  const ready = () => Promise.race([options.ready(), sleep(LONGEST_ANSWER_MS, false, { ref: false })]);
  const running = () => child !== undefined && howItEnded === '';

  async function start(): Promise<void> {
    const file = await open(logFile, 'a');
    // The part writes to the file itself: nothing is lost when this process ends, and its output costs this process nothing.
    // setpriv turns into the command, so the pid is the part's own; a process group of its own keeps Ctrl-C from it.
    const orphanSignal = (options.orphanSignal ?? 'SIGKILL').slice('SIG'.length);
    const args = ['--pdeathsig', orphanSignal, ...(options.privileges ?? []), options.command, ...options.args];
    const env = { ...process.env, ...options.env };
    const started = spawn('setpriv', args, { env, stdio: ['ignore', file.fd, file.fd], detached: true, cwd: root });
    const startedAt = Date.now();
    child = started;
    howItEnded = '';
    const ended = (how: string) => {
      howItEnded = how;
      if (Date.now() - startedAt > STABLE_MS) pauseMs = FIRST_PAUSE_MS;
      if (state === 'watched') startAgain().catch((error) => say(`cannot be started again: ${error}`));
    };
    started.once('error', (error) => ended(`could not be started (${error.message})`));
    started.once('exit', (code, signal) => ended(signal ? `was ended by ${signal}` : `ended with exit code ${code}`));
    await file.close();
  }

  async function startAgain(): Promise<void> {
    say(`${howItEnded}, is started again in ${pauseMs / 1000} s. Its last lines:${await lastLines(logFile)}`);
    const { signal } = pause;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    await start();
    const pid = child?.pid;
    while (!signal.aborted && running() && child?.pid === pid) {
      if (await ready().catch(() => false)) return say(`runs again (pid ${pid})`);
      await sleep(100);
    }
  }

  async function untilReady(): Promise<void> {
    const deadline = Date.now() + readySeconds * 1000;
    const failed = async (what: string) =>
      new Error(`${name} ${what} before it was ready. The last lines of ${logFile}:${await lastLines(logFile)}`);
    for (;;) {
      const isReady = await ready().catch(() => false);
      if (!running()) throw await failed(howItEnded);
      if (isReady) return;
      if (Date.now() > deadline) throw await failed(`ran ${readySeconds} s`);
      await sleep(25);
    }
  }

  async function stop(): Promise<void> {
    state = 'stopped';
    pause.abort();
    if (!child || !running()) return;
    const ending = child;
    const ended = once(ending, 'exit');
    ending.kill(stopSignal);
    ending.kill('SIGCONT'); // a halted part would not see the signal
    const force = setTimeout(() => {
      say(`does not end within ${stopSeconds} s and is killed`);
      ending.kill('SIGKILL');
    }, stopSeconds * 1000);
    await ended;
    clearTimeout(force);
  }

  async function restart(): Promise<void> {
    await stop();
    state = 'starting';
    pause = new AbortController();
    pauseMs = FIRST_PAUSE_MS;
    try {
      await start();
      await untilReady();
      state = 'watched';
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

/** The last lines of a log, indented, each on a line of its own. */
async function lastLines(path: string, count = 8): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return ' none';
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read({ position: Math.max(0, size - 16_384), length: 16_384 });
  await file.close();
  const text = stripVTControlCharacters(buffer.toString('utf8', 0, bytesRead)).trimEnd();
  const lines = text.split('\n').slice(-count);
  return lines.map((line) => `\n    ${line.slice(0, 240)}`).join('');
}
