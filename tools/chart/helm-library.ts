import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../paths.ts';

/** Those of the library's function, as helm-library-process.ts lists them. */
export type Options = Record<string, string | number>;

export interface Reply {
  out: string;
  err: string;
}

interface Library {
  process: ChildProcess;
  /** In the order of the calls, which is that of the replies. */
  waiting: { resolve(reply: Reply): void; reject(error: Error): void }[];
}

const idleMs = 2_000;
let library: Library | undefined;

/**
 * Renders a chart by Helm's native library. It is loaded by a process of its own, which keeps Go's threads, memory and faults
 * away from this one, takes all calls, and ends when it was idle for 2 s.
 * @throws Error with Helm's message
 */
export async function callLibrary(path: string, options: Options): Promise<string> {
  library ??= startLibrary(path);
  const { process, waiting } = library;
  const reply = await new Promise<Reply>((resolve, reject) => {
    waiting.push({ resolve, reject });
    process.channel?.ref();
    process.send(options, (error) => error && reject(error));
  });
  if (reply.err) throw new Error(reply.err);
  return reply.out;
}

function startLibrary(path: string): Library {
  const program = join(root, 'tools/chart/helm-library-process.ts');
  const process = fork(program, [path], { cwd: root, execArgv: [] });
  const started: Library = { process, waiting: [] };
  const forget = () => {
    if (library === started) library = undefined;
  };
  const ending = setTimeout(() => {
    if (started.waiting.length > 0) return;
    forget();
    process.disconnect();
  }, idleMs).unref();
  process.on('message', (reply: Reply) => {
    started.waiting.shift()?.resolve(reply);
    ending.refresh();
    if (started.waiting.length === 0) process.channel?.unref();
  });
  process.on('exit', (code, signal) => {
    forget();
    for (const { reject } of started.waiting) reject(new Error(`Helm's library ended with ${signal ?? code}.`));
  });
  process.unref();
  return started;
}
