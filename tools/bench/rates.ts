import autocannon from 'autocannon';
import { alternate } from './alternate.ts';
import type { Log } from './measurement.ts';
import { cpuMs } from './process-usage.ts';

export interface Request {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Headers that differ from request to request. */
  uniqueHeaders?: () => Record<string, string>;
}

const connections = 32;

/**
 * Sends requests on 32 connections without a pause, for some seconds or until an amount is reached.
 * @returns requests per second
 * @throws Error where a response is not 2xx
 */
export async function rateOf(request: Request, extent: { duration: number } | { amount: number }): Promise<number> {
  const { url, method = 'GET', headers = {}, body, uniqueHeaders } = request;
  const setupRequest =
    uniqueHeaders && ((prepared: autocannon.Request) => ({ ...prepared, headers: { ...headers, ...uniqueHeaders() } }));
  const requests = [{ method, headers, ...(body && { body }), ...(setupRequest && { setupRequest }) }];
  const result = await autocannon({ url, connections, ...extent, requests });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed.`);
  return result.requests.total / result.duration;
}

/** @returns CPU time that each process takes for 1,000 of the requests, in ms */
export async function cpuPerThousand(
  request: Request,
  amount: number,
  pids: (number | undefined)[],
): Promise<number[]> {
  const before = await Promise.all(pids.map(cpuMs));
  await rateOf(request, { amount });
  const after = await Promise.all(pids.map(cpuMs));
  return after.map((ms, index) => ((ms - (before[index] ?? 0)) * 1000) / amount);
}

/** Compares the requests per second that a service and its baseline answer. */
export async function compareRates(name: string, service: Request, baseline: Request, log: Log) {
  const warmUp = { amount: 5_000 }; // enough for V8 to have compiled what is hot
  log(`warming up with ${warmUp.amount} requests to each side`);
  for (const request of [service, baseline]) await rateOf(request, warmUp);
  const side = (of: string, request: Request) => async () => {
    const rate = await rateOf(request, { duration: 4 });
    log(`${of}: ${rate.toFixed()} requests per second`);
    return rate;
  };
  const { first, second, ratio } = await alternate({ rounds: 5 }, side('service', service), side('baseline', baseline));
  const measured = `${first.toFixed()} against ${second.toFixed()} requests per second`;
  return { name: `${name}, service against baseline`, measured, result: ratio };
}

/** A request, and the process whose CPU time counts. */
type MeasuredRequest = Request & { pid: () => number | undefined };

/** Compares the CPU time that 1,000 of each request take, in ms. */
export function compareCpu(amount: number, one: MeasuredRequest, other: MeasuredRequest, log: Log) {
  const side = (request: MeasuredRequest) => async () => {
    const [cpu = NaN] = await cpuPerThousand(request, amount, [request.pid()]);
    log(`${request.url}: ${cpu.toFixed()} CPU ms per 1000 requests`);
    return cpu;
  };
  return alternate({ rounds: 5, warmUp: 2 }, side(one), side(other));
}
