import { messageOf } from '@store/shared/values/errors';
import { inTime } from '@store/shared/values/time';
import { Webhook } from 'standardwebhooks';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { ForbiddenAddress, isForbiddenLiteral, publicLookup, type Range, type Resolve } from './addresses.ts';

/** What became of an attempt. Without a status the endpoint did not answer. */
export interface Attempt {
  status: number | undefined;
  retryAfterSeconds: number | undefined;
  /** Undefined if the endpoint has accepted it. */
  failure: string | undefined;
}

export interface Message {
  /** The same in each attempt. */
  id: string;
  /** JSON */
  body: string;
  /** Each signs it: two during a rotation. */
  secrets: string[];
}

/** From the beginning of the connection to the end of the answer. */
export const answerMs = 10_000;
const maxAnswerBytes = 64 * 1024;
/** Longer waits are the schedule's. */
const maxRetryAfterSeconds = 86_400;

interface Options {
  publicOnly: boolean;
  /** Public addresses that are the installation's own. */
  own: readonly Range[];
  /** A proxy that all deliveries go through. It decides which addresses can be reached. */
  proxyUrl: string | undefined;
  resolve?: Resolve;
}

export type EndpointClient = ReturnType<typeof createEndpointClient>;

/** Sends signed messages to endpoints (Standard Webhooks 1.0). Follows no redirects. */
export function createEndpointClient({ publicOnly, own, proxyUrl, resolve }: Options) {
  const dispatcher: Dispatcher =
    proxyUrl === undefined
      ? new Agent({ connect: { timeout: answerMs, ...(publicOnly && { lookup: publicLookup(own, resolve) }) } })
      : new ProxyAgent(proxyUrl);

  function post(url: string, { id, body, secrets }: Message, signal: AbortSignal) {
    if (publicOnly && isForbiddenLiteral(new URL(url).hostname, own)) throw new ForbiddenAddress();
    const at = new Date();
    return request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'store-webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
      },
      body,
    });
  }

  async function attempt(url: string, message: Message): Promise<Attempt> {
    const end = performance.now() + answerMs;
    const {
      statusCode: status,
      headers,
      body,
    } = await inTime(answerMs, async (signal) => post(url, message, signal), late);
    // The status is the answer. A body that is too long or too slow ends the connection.
    await inTime(
      Math.max(end - performance.now(), 1),
      (signal) => body.dump({ limit: maxAnswerBytes, signal }),
      late,
    ).catch(() => undefined);
    const isAccepted = status >= 200 && status < 300;
    return {
      status,
      retryAfterSeconds: secondsIn(headers['retry-after']?.toString()),
      failure: isAccepted ? undefined : `The endpoint answered ${status}.`,
    };
  }

  return {
    /** Never throws: what fails here is the endpoint's fault. */
    send: (url: string, message: Message): Promise<Attempt> =>
      attempt(url, message).catch((error: unknown) => ({
        status: undefined,
        retryAfterSeconds: undefined,
        failure: failureOf(error),
      })),
  };
}

const late = () => new Error(`There was no answer within ${answerMs / 1000} s.`);

/** RFC 9110, 10.2.3: seconds, or a date. */
function secondsIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}

/** The messages of the sockets name addresses, which are nobody's business. */
function failureOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ForbiddenAddress || code === undefined) return messageOf(error);
  return `The connection failed: ${code}.`;
}
