import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import pg from 'pg';
import { root } from '../../../tools/paths.ts';

/** A place in the code as in a stack trace: line and column start at 1. */
export interface Place {
  /** Relative to the repository. */
  file: string;
  line: number;
  column: number;
}

/** A statement that a service sent with `run`, and the columns that PostgreSQL returned. */
export interface RecordedStatement {
  text: string;
  /** The call of `run`, then the calls in services that led to it. */
  calls: [Place, ...Place[]];
  /** `type` is the OID. */
  columns: { name: string; type: number }[];
}

/** The files that define `run`, which hands a statement to the driver. */
const isRun = /^services\/shared\/src\/database\/(database|transaction|replica)\.ts$/;
const isDriver =
  /^(services\/shared\/src\/database\/connection\.ts$|node_modules\/|tests\/kit\/statements\/record\.ts$)/;
const isService = /^services\/[^/]+\/src\/(?!.*\.test\.ts$)/;

let isRecording = false;

/**
 * From now on, writes each distinct statement that a service sends with `run` in this thread to a file in the folder. Ignores the
 * statements of tests and of Prisma.
 */
export function recordStatements(folder: string): void {
  if (isRecording) return;
  isRecording = true;
  const recorded = new Set<string>();

  for (const sender of [pg.Pool.prototype, pg.Client.prototype]) {
    const { query } = sender;
    sender.query = function send(this: unknown, ...args: unknown[]) {
      const sent: unknown = Reflect.apply(query, this, args);
      const text = textOf(args[0]);
      // A call with a callback comes from the pool, whose caller is no longer on the stack.
      if (text === undefined || recorded.has(text) || !(sent instanceof Promise)) return sent;
      const calls = callsOfRun();
      if (calls === undefined) return sent;
      recorded.add(text);
      const write = ({ fields }: pg.QueryResult) => {
        const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
        const line = JSON.stringify({ text, calls, columns } satisfies RecordedStatement);
        appendFileSync(join(folder, `${process.pid}-${threadId}.jsonl`), `${line}\n`);
      };
      sent.then(write, () => recorded.delete(text));
      return sent;
    } as never;
  }
}

/** @returns undefined for statements of Prisma's adapter, which asks for rows as arrays */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  const { text, rowMode } = (statement ?? {}) as { text?: unknown; rowMode?: unknown };
  return typeof text === 'string' && rowMode === undefined ? text : undefined;
}

/** @returns undefined if no service called `run`. Nobody reads the rows of what a transaction sends with `send`. */
function callsOfRun(): RecordedStatement['calls'] | undefined {
  const behindDriver = stack();
  while (behindDriver[0] && isDriver.test(behindDriver[0].file)) behindDriver.shift();
  if (!behindDriver[0] || !isRun.test(behindDriver[0].file)) return undefined;
  while (behindDriver[0] && isRun.test(behindDriver[0].file)) {
    if (behindDriver[0].inFunction === 'send') return undefined;
    behindDriver.shift();
  }
  const [run, ...callers] = behindDriver.map(({ file, line, column }) => ({ file, line, column }));
  if (run === undefined || !isService.test(run.file)) return undefined;
  return [run, ...callers.filter(({ file }) => isService.test(file))];
}

/** The calls that have not returned yet, innermost first, without those of Node.js itself. */
function stack(): (Place & { inFunction: string | null })[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 100;
    Error.prepareStackTrace = (_, sites) => sites;
    const holder: { stack?: NodeJS.CallSite[] } = {};
    Error.captureStackTrace(holder);
    return (holder.stack ?? []).flatMap((site) => {
      const url = site.getFileName()?.replace(/\?.*$/, '') ?? '';
      const path = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!path.startsWith(`${root}/`) || site.isAsync()) return [];
      const file = path.slice(root.length + 1);
      const [line, column] = [site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0];
      return [{ file, line, column, inFunction: site.getFunctionName() }];
    });
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}
