import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredEvent } from '@store/shared/messaging/events';
import { listen } from '../../kit/listen.ts';
import { startStripe } from '../../kit/payments/stripe-proxy.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { until } from '../../kit/until.ts';
import type { Recorded } from './_properties.ts';

export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>;

/** Payment, with what it works with. */
export interface Payments extends Pick<Surroundings, 'provider' | 'tokens'>, ReturnType<typeof viewOf> {
  /** The address of its callbacks. */
  callbacks: { url: string; secret: string };
  /** Has it handle an event, whatever restarts meanwhile. */
  publish(event: StoredEvent): Promise<void>;
  /** Where it listens. */
  url: string;
}

/** What customers pay with, keys of the provider, and what it lets customers' browsers confirm intents with. */
export const secrets = /pm_card|sk_test|whsec_|pi_\w+_secret_/;

/** Starts a provider, and a stand-in for the order service, which knows the tokens. */
export async function startSurroundings() {
  const provider = await startStripe();
  const tokens = new Map<string, string>();
  const order = createServer((request, response) => {
    request.resume();
    if (request.method === 'PUT') return void response.writeHead(204).end();
    const orderId = /[0-9a-f-]{36}/.exec(request.url ?? '')?.[0] ?? '';
    const token = tokens.get(orderId);
    response.writeHead(token === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(token === undefined ? { status: 404, code: 'not-found' } : { token }));
  });
  const webhookSecret = 'whsec_of_the_store';
  return {
    provider,
    /** What orders are paid with. The order service has it only while an order waits for its payment. */
    tokens,
    webhookSecret,
    /** Of payment. */
    env: {
      PAYMENT_PROVIDER: 'stripe',
      STRIPE_SECRET_KEY: provider.secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_URL: `http://${provider.host}:${provider.port}`,
      ORDER_URL: `http://127.0.0.1:${await listen(order)}`,
    },
    async stop(): Promise<void> {
      await provider.stop();
      order.close();
    },
  };
}

/** Repeats an action until it succeeds. */
export async function persist<T>(attempt: () => Promise<T>, timeoutMs = 120_000): Promise<T> {
  for (const end = Date.now() + timeoutMs; ; await wait(200)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** What the store says about payments, in its database. */
export function viewOf(databaseUrl: string) {
  const rows = <T extends object>(sql: string) => queryOnce<T>(databaseUrl, sql);
  return {
    rows,
    /** Of these orders, by order. Also events that are not published yet. */
    async recorded(orderIds: string[]): Promise<Map<string, Recorded>> {
      const held = (account: string) => `(
        select coalesce(sum(amount), 0)::float8 from entries join entry_lines on entry = entries.id
        where entries.order_id = payments.order_id and account = '${account}')`;
      const found = await rows<Recorded & { id: string }>(`
        select order_id as id, status, refund_reserved::float8 as reserved, payments.disputed::float8 as disputed,
               coalesce((select array_agg(kind order by seq) from outbox where key = order_id::text), '{}') as events,
               exists (select from payment_steps as step where step.order_id = payments.order_id and open_since is not null) as "isOpen",
               coalesce((select array_agg(state order by created_at, id) from refunds where refunds.order_id = payments.order_id), '{}')
                 as refunds,
               ${held('provider')} as provider, ${held('unearned')} as unearned,
               coalesce((select amount from unearned where unearned.order_id = payments.order_id), 0)::float8 as owed
        from payments where order_id = any('{${orderIds}}')`);
      return new Map(found.map(({ id, ...one }) => [id, one]));
    },
    /** Ends the leases of all workers, as if they had hung for so long, and the pauses before calls are repeated. */
    async endLeases(): Promise<void> {
      await rows('update payment_steps set due_at = now() where due_at > now() and open_since is null');
    },
    /** Has a day pass for everything that is not settled. The provider's clock has to be moved, too. */
    async passDay(): Promise<void> {
      await rows(`
        update payment_steps
        set created_at = created_at - interval '25 hours', key_since = key_since - interval '25 hours'
        where due_at is not null`);
    },
    /** Has what happened at the provider listed, from its beginning. */
    async relist(): Promise<void> {
      // One that is under way may have begun too early.
      for (const _ of [1, 2]) {
        await rows(`update provider_listings set cursor = '0', turn_until = now() - interval '1 hour'`);
        await until('the listing has ended', async () => {
          const ended = `select from provider_listings where turn_until between now() and now() + interval '61 s'`;
          return (await rows(ended)).length > 0;
        });
      }
    },
    /** The ids of those events that no process has handled. */
    async unhandled(ids: string[]): Promise<string[]> {
      const list = ids.map((id) => `'${id}'`).join(',');
      const handled = await rows<{ event_id: string }>(
        `select event_id from processed_events where event_id in (${list})`,
      );
      const known = new Set(handled.map(({ event_id }) => event_id));
      return ids.filter((id) => !known.has(id));
    },
    /** Steps that are due, or are being carried out; not those that an operator has to settle. */
    stepsInFlight: (orderIds: string[]) =>
      rows<{ lane: string; order_id: string; attempts: number }>(`
        select lane, order_id, attempts from payment_steps
        where due_at is not null and open_since is null and order_id = any('{${orderIds}}')`),
    /** Tables that have what a customer pays with, or a secret of the provider. */
    async tablesWithSecrets(): Promise<string[]> {
      const tables = await rows<{ name: string }>(
        `select quote_ident(table_name) as name from information_schema.tables where table_schema = current_schema()`,
      );
      const found = tables.map(async ({ name }) =>
        (
          await rows(
            `select from (select ${name}::text as line from ${name}) as row where line ~ '${secrets.source}' limit 1`,
          )
        ).length > 0
          ? [name]
          : [],
      );
      return (await Promise.all(found)).flat();
    },
    /** All events, in the order in which they are published. */
    events: () =>
      rows<StoredEvent>(`
        select id, kind, key, payload, traceparent, created_at as "createdAt" from outbox order by seq`),
    unpublished: () => rows<object>('select kind, key from outbox where sent_at is null'),
  };
}
