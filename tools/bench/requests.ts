import autocannon from 'autocannon';
import { median } from 'simple-statistics';
import { figure } from './figures.ts';
import { cpuMs } from './process-usage.ts';

export interface Request {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  uniqueHeaders?: () => Record<string, string>;
}

const connections = 32;

/**
 * Sends requests on 32 connections without a pause, for some seconds or until an amount is reached.
 * @returns requests per second
 * @throws Error where a response is not 2xx
 */
async function rateOf(request: Request, extent: { duration: number } | { amount: number }): Promise<number> {
  const { url, method = 'GET', headers = {}, body, uniqueHeaders } = request;
  const setupRequest =
    uniqueHeaders && ((prepared: autocannon.Request) => ({ ...prepared, headers: { ...headers, ...uniqueHeaders() } }));
  const requests = [{ method, headers, ...(body && { body }), ...(setupRequest && { setupRequest }) }];
  const result = await autocannon({ url, connections, ...extent, requests });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed.`);
  return result.requests.total / result.duration;
}

/**
 * Measures sides in turns, so that whatever slows the machine down affects all of them.
 * @returns the median of each, and of the ratios of the first to the second
 */
async function inTurns(measures: (() => Promise<number>)[], warmUp: number) {
  const rounds: number[][] = [];
  for (let round = 0; round < warmUp + 5; round += 1) {
    const values: number[] = [];
    for (const measure of measures) values.push(await measure());
    rounds.push(values);
  }
  const counted = rounds.slice(warmUp);
  const medians = measures.map((_, side) => median(counted.map((values) => values[side] ?? NaN)));
  return { medians, ratio: median(counted.map(([first = NaN, second = NaN]) => first / second)) };
}

export async function compareRates(key: 'products' | 'catalogue' | 'orders', service: Request, bare: Request) {
  for (const request of [service, bare]) await rateOf(request, { amount: 5_000 }); // until V8 has compiled what is hot
  const sides = [service, bare].map((request) => () => rateOf(request, { duration: 4 }));
  const { medians, ratio } = await inTurns(sides, 0);
  const measured = `${medians.map((rate) => rate.toFixed()).join(' against ')} requests per second`;
  return figure(key, ratio, measured);
}

type Pid = () => number | undefined;

/** Measures the CPU time of processes for each of some requests, in ms. */
export function cpuOfRequests(amount: number, sides: (readonly [request: Request, ...pids: Pid[]])[]) {
  const measures = sides.map(([request, ...pids]) => async () => {
    const used = async () => (await Promise.all(pids.map((pid) => cpuMs(pid())))).reduce((sum, ms) => sum + ms, 0);
    const before = await used();
    await rateOf(request, { amount });
    return ((await used()) - before) / amount;
  });
  return inTurns(measures, 2);
}
