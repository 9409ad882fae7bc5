import autocannon from 'autocannon';
import { median, sum } from 'simple-statistics';
import { cpuMs, type Pid } from './process-usage.ts';

export interface Request {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Headers and a body that no other request has. */
  unique?: () => { headers: Record<string, string>; body: string };
}

/** Time for V8 to compile the hot code. */
const warmUpRounds = 2;
const rounds = 5;

/**
 * Measures the CPU time of processes per request, in ms. The sides take turns, so that anything that slows the machine down affects
 * all of them.
 * @returns the median of each side, and of the ratios of the first to the second
 * @throws Error if a response is not 2xx
 */
export async function cpuOfRequests(amount: number, sides: (readonly [request: Request, ...pids: (() => Pid)[]])[]) {
  const counted: number[][] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const values: number[] = [];
    for (const [request, ...pids] of sides) {
      const used = async () => sum(await Promise.all(pids.map((pid) => cpuMs(pid()))));
      const before = await used();
      await send(request, { amount });
      values.push(((await used()) - before) / amount);
    }
    if (round >= 0) counted.push(values);
  }
  const medians = sides.map((_, side) => median(counted.map((values) => values[side] ?? NaN)));
  return { medians, ratio: median(counted.map(([first = NaN, second = NaN]) => first / second)) };
}

type Extent = Partial<Pick<autocannon.Options, 'amount' | 'duration' | 'overallRate' | 'connections'>>;

/** Sends requests without a pause, or at a given rate. @returns the number of requests @throws Error if a response is not 2xx */
export async function send({ url, method = 'GET', headers = {}, unique }: Request, extent: Extent): Promise<number> {
  const setupRequest = (prepared: autocannon.Request) => {
    const own = unique?.();
    return { ...prepared, ...own, headers: { ...headers, ...own?.headers } };
  };
  const requests = [{ method, headers, ...(unique && { setupRequest }) }];
  const result = await autocannon({ url, connections: 32, ...extent, requests });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed.`);
  return result.requests.total;
}
