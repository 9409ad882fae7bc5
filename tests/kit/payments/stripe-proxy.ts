import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../tools/free-port.ts';
import { listen } from '../listen.ts';
import { parseForm } from './form.ts';
import { type Answer, createIdempotencyKeys } from './idempotency-keys.ts';
import { secretKey, startLocalStripe } from './local-stripe.ts';
import { createStripeAccount, StripeError } from './stripe-account.ts';
import { type ApiRequest, createStripeApi, type RefundMode } from './stripe-api.ts';
import { createStripeCallbacks } from './stripe-callbacks.ts';
import { type Fault, type FaultPlan, noFaults, type ProviderCall } from './stripe-faults.ts';

export type FakeStripe = Awaited<ReturnType<typeof startStripe>>;

/**
 * Starts localstripe with a proxy in front of it, which keeps idempotency keys as Stripe does, meets requests with faults, sends
 * callbacks, and adds what localstripe lacks (stripe-account.ts).
 */
export async function startStripe() {
  const local = await startLocalStripe();
  let offsetMs = 0;
  const now = () => Date.now() + offsetMs;
  const keys = createIdempotencyKeys(now);
  const account = createStripeAccount(local, now);
  let plan: FaultPlan = noFaults;
  let refundMode: RefundMode = () => 'at once';
  let hangMs: number | undefined;
  const api = createStripeApi(account, (orderId) => refundMode(orderId));
  const callbacks = createStripeCallbacks(now);
  /** Of the request that is being carried out: it is answered after them. */
  const early = new Set<Promise<void>>();
  account.onEvent((event) => {
    const sent = callbacks.deliver(event).finally(() => early.delete(sent));
    early.add(sent);
  });
  const calls: (ProviderCall & { fault: Fault['kind'] | undefined; status: number | undefined })[] = [];
  const port = await freePort();
  let server: Server | undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { pathname, search } = new URL(request.url ?? '/', 'http://stripe');
    const asked: ApiRequest = {
      method: request.method ?? '',
      path: pathname,
      form: parseForm(request.method === 'GET' ? search.slice(1) : body),
    };
    const { authorization = '', 'idempotency-key': key } = request.headers;
    const call = api.callOf(asked);
    const fault = plan(call);
    const record: (typeof calls)[number] = { ...call, fault: fault?.kind, status: undefined };
    calls.push(record);

    const send = ({ status, body }: Answer, headers: Record<string, string> = {}) => {
      record.status = status;
      const text = JSON.stringify(body);
      const all = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
      if (fault?.kind === 'reset' && fault.effect) {
        response.writeHead(status, all);
        response.write(text.slice(0, Math.floor(text.length / 2)), () => request.socket.destroy());
        return;
      }
      response.writeHead(status, all).end(text);
    };

    /** Gives no answer. */
    function hang(): void {
      if (hangMs !== undefined) setTimeout(() => response.writeHead(504).end('<h1>504</h1>'), hangMs).unref();
    }

    if (authorization !== `Bearer ${secretKey}`) {
      return send(answerOf(new StripeError(401, { message: 'Invalid API Key provided' })));
    }
    switch (fault?.kind) {
      case 'no answer':
        if (!fault.effect) return hang();
        break;
      case 'reset':
        if (!fault.effect) return void request.socket.destroy();
        break;
      case 'rate limit':
        return send({
          status: 429,
          body: { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' } },
        });
      case 'passing error':
        return send(internalError);
      case 'not found yet':
        if (call.operation === 'search')
          return send({ status: 200, body: { object: 'search_result', has_more: false, data: [] } });
        return send(answerOf(new StripeError(404, { code: 'resource_missing', message: 'No such object' })));
    }

    const keyed = asked.method === 'POST' && typeof key === 'string' ? key : undefined;
    if (keyed !== undefined) {
      const told = keys.begin(keyed, `${asked.method} ${pathname} ${body}`);
      if (told !== undefined && 'replay' in told) return send(told.replay, { 'idempotent-replayed': 'true' });
      if (told !== undefined) return send(refusals[told.refuse]);
    }
    if (fault?.kind === 'slow') await wait(fault.ms, undefined, { ref: false });
    let answer: Answer;
    if (fault?.kind === 'kept error' && !fault.effect) answer = internalError;
    else answer = await api.carryOut(asked).then((body) => ({ status: 200, body }), answerOf);
    if (fault?.kind === 'kept error') answer = internalError;
    await Promise.all(early);
    if (keyed !== undefined) {
      // What fails validation is not kept.
      if (answer.status === 400 || answer.status === 404 || fault?.kind === 'forgotten key') keys.forget(keyed);
      else keys.keep(keyed, answer);
    }
    if (fault?.kind === 'list changes') account.repeatEvent(calls.length);
    if (fault?.kind === 'no answer' || fault?.kind === 'forgotten key') return hang();
    if (fault?.kind === 'other id' && answer.status === 200) answer = { ...answer, body: withOtherId(answer.body) };
    send(answer);
  }

  async function up(): Promise<void> {
    if (server !== undefined) return;
    server = createServer((request, response) => {
      handle(request, response).catch((error) => {
        // A client that has given up.
        if (!request.socket.destroyed) process.stderr.write(`The proxy in front of localstripe: ${error?.stack}\n`);
        request.socket.destroy();
      });
    });
    server.keepAliveTimeout = 60_000;
    await listen(server, port);
  }

  async function down(): Promise<void> {
    const closing = server;
    server = undefined;
    await new Promise((resolve) => (closing ? closing.close(resolve).closeAllConnections() : resolve(undefined)));
  }

  await up();
  return {
    host: '127.0.0.1',
    port,
    secretKey,
    account,
    callbacks,
    /** All requests so far, with what happened to them. */
    calls,
    /** Decides from now on what happens to requests. */
    meet(next: FaultPlan): void {
      plan = next;
    },
    /** Answers 504 after some time where no answer comes, as a load balancer does. Default: never. */
    hangFor(ms: number | undefined): void {
      hangMs = ms;
    },
    /** Decides from now on how refunds end. */
    refundsEnd(mode: RefundMode): void {
      refundMode = mode;
    },
    /** Moves the provider's clock. */
    advance(ms: number): void {
      offsetMs += ms;
    },
    now,
    /** Nobody can reach the provider: connections are reset and refused. */
    down,
    up,
    /** Forgets all orders, and what happened to them. */
    async clear(): Promise<void> {
      account.clear();
      calls.splice(0);
      await local.clear();
    },
    async stop(): Promise<void> {
      await down();
      await callbacks.stop();
      await local.stop();
    },
  };
}

const internalError: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred' } },
};

const refusals: Record<'in progress' | 'other request', Answer> = {
  'in progress': {
    status: 409,
    body: {
      error: {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message: 'There is currently another in-progress request using this Idempotent Key.',
      },
    },
  },
  'other request': {
    status: 400,
    body: {
      error: {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      },
    },
  },
};

function answerOf(error: unknown): Answer {
  if (!(error instanceof StripeError)) throw error;
  return { status: error.status, body: { error: error.error } };
}

interface Answered {
  id?: string;
  data?: Answered[];
  payment_intent?: string;
  metadata?: Record<string, string>;
}

/** An object of the same kind that is another one, of another order. */
function withOtherId(body: unknown): Answered {
  const { id, data, payment_intent: intent, metadata, ...rest } = body as Answered;
  return {
    ...rest,
    ...(id !== undefined && { id: otherThan(id) }),
    ...(intent !== undefined && { payment_intent: otherThan(intent) }),
    ...(metadata && { metadata: Object.fromEntries(Object.keys(metadata).map((name) => [name, randomUUID()])) }),
    ...(data && { data: data.map(withOtherId) }),
  };
}

const otherThan = (id: string): string => `${id.slice(0, -1)}${id.endsWith('x') ? 'y' : 'x'}`;

/** The proxy for all tests of a file. */
export function useStripe(): FakeStripe {
  const later = {} as FakeStripe;
  beforeAll(async () => {
    Object.assign(later, await startStripe());
    // The first time, it is installed.
  }, 300_000);
  afterAll(() => later.stop?.());
  return later;
}
