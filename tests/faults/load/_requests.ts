import { setTimeout as wait } from 'node:timers/promises';
import type { HttpResponse } from '../../kit/http.ts';
import type { Fixture } from '../_fixture.ts';
import { type Exchange, isKnown, timed } from '../history/_history.ts';

interface RetriedRequest {
  name: string;
  send(): Promise<HttpResponse>;
  isDefinite(response: HttpResponse): boolean;
  /** Other responses that are retried besides 429 and those of unknown outcome. */
  isRetried?(response: HttpResponse): boolean;
  /** Receives every attempt. */
  record(exchange: Exchange): void;
  timeoutMs?: number;
}

/** Repeats a request until its response is definite. */
export async function sendWithRetries({ signal }: Fixture, request: RetriedRequest): Promise<HttpResponse> {
  const { name, send, isDefinite, isRetried = () => false, record, timeoutMs = 120_000 } = request;
  for (const deadline = Date.now() + timeoutMs; ; await wait(200)) {
    signal.throwIfAborted();
    const exchange = await timed(send);
    record(exchange);
    const { response, error } = exchange;
    const last = response ? `${response.status}: ${response.text}` : `${error?.message} (${error?.cause})`;
    if (response !== undefined && isKnown(exchange)) {
      if (isDefinite(response)) return response;
      if (response.status !== 429 && !isRetried(response)) throw new Error(`${name} returned ${last}`);
    }
    if (Date.now() > deadline) throw new Error(`${name} has not succeeded within ${timeoutMs / 1000} s: ${last}`);
  }
}
