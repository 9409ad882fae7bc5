import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';

export interface Request {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Headers that differ from request to request. */
  fresh?: () => Record<string, string>;
}

const connections = 32;

/**
 * Asks without a pause on 32 connections, for some seconds or some requests, and gives the requests per second. An answer
 * other than 2xx is an error.
 */
export async function rateOf(request: Request, extent: { duration: number } | { amount: number }): Promise<number> {
  const { url, method = 'GET', headers = {}, body, fresh } = request;
  const setupRequest =
    fresh && ((prepared: autocannon.Request) => ({ ...prepared, headers: { ...headers, ...fresh() } }));
  const requests = [{ method, headers, ...(body && { body }), ...(setupRequest && { setupRequest }) }];
  const result = await autocannon({ url, connections, ...extent, requests });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed.`);
  return result.requests.total / result.duration;
}

/** Runs both sides in turns, so that what slows this machine down meets both. */
export async function inTurns<T>(rounds: number, first: () => Promise<T>, second: () => Promise<T>): Promise<[T, T][]> {
  const pairs: [T, T][] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await first(), await second()]);
  return pairs;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** The value that this share of them does not exceed. */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? NaN;
}

/** The medians of both sides, and that of the ratios of the pairs. */
export const medians = (pairs: [number, number][]) => ({
  first: median(pairs.map(([first]) => first)),
  second: median(pairs.map(([, second]) => second)),
  ratio: median(pairs.map(([first, second]) => first / second)),
});

/** CPU time of a process and its threads so far, in ms: user and system. */
export async function cpuMs(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // the name before it may hold blanks
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10; // Linux counts 100 ticks per second for every program
}

/** The memory that a process has resident now, and the most that it has had so far, in MiB. */
export async function residentMib(pid: number | undefined): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
}

/** Asks again and again; two minutes are long enough for anything here. */
export async function until(what: string, isTrue: () => unknown, pauseMs = 50): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await isTrue()); await sleep(pauseMs)) {
    if (Date.now() > deadline) throw new Error(`Two minutes were not enough: ${what}.`);
  }
}
