import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { EventKind } from '@store/shared/messaging/events';
import { type CallTable, type ClaimedCall, wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { DomainError, invalidFields } from '@store/shared/values/errors';
import { storable } from '@store/shared/values/text';
import type { PrismaClient } from '../../generated/client.ts';
import type { Attempt } from './endpoint-client.ts';
import { restsAfter } from './health-repository.ts';
import type { DeliveryQuery, WebhookOut } from './schemas.ts';
import { deliveryId } from './standard-ids.ts';

export const queueName = 'webhook';

/** Of a test, which is about no order. */
export const testKind = 'Test';

export interface SentEvent {
  eventId: string;
  orderId: string;
  kind: EventKind;
  /** The event's timestamp. */
  at: string;
}

/** A delivery that a worker has claimed. */
export interface Delivery extends ClaimedCall {
  webhookId: string;
  /** Null if it was deleted meanwhile. `failures` is the number of failed attempts in a row. */
  webhook: (Pick<WebhookOut, 'state' | 'url' | 'ordered'> & { failures: number }) | null;
  eventId: string;
  kind: string;
  at: Date;
  orderId: string | null;
  sequence: string;
  /** Attempts that failed because of the endpoint. */
  tries: number;
  /** Of an endpoint whose deliveries are ordered: the numbers of those before this one that were given up. */
  skipped: number[] | null;
}

const webhook = sql`(
  select json_build_object('state', state, 'url', url, 'ordered', ordered, 'failures', failures)
  from webhooks where id = call.webhook_id)`;

/** Numbers of the order's deliveries that were given up since the last one that was accepted. */
const skipped = sql`(
  select json_agg(other.sequence order by other.sequence) from webhook_deliveries as other
  where other.webhook_id = call.webhook_id and other.order_id = call.order_id and other.state = 'GIVEN_UP'
    and other.sequence < call.sequence and (select ordered from webhooks where id = call.webhook_id)
    and not exists (
      select from webhook_deliveries as later
      where later.webhook_id = call.webhook_id and later.order_id = call.order_id and later.state = 'DELIVERED'
        and later.sequence between other.sequence and call.sequence))`;

export const deliveryTable: CallTable<Delivery> = {
  table: 'webhook_deliveries',
  columns: sql`call.webhook_id as "webhookId", ${webhook} as webhook, call.event_id as "eventId", call.kind, call.at,
    call.order_id as "orderId", call.sequence::text as sequence, call.tries, ${skipped} as skipped`,
  claim: ({ run }, statement) => run<Delivery>(statement),
};

interface Receiver {
  id: string;
  kinds: string[];
}

/** The kinds of events that some endpoint wants. */
export async function wantedKinds({ run }: Pick<Database<PrismaClient>, 'run'>): Promise<ReadonlySet<string>> {
  const rows = await run<{ kind: string }>(sql`
    select distinct unnest(kinds) as kind from webhooks where state in ('ACTIVE', 'PAUSED')`);
  return new Set(rows.map(({ kind }) => kind));
}

/**
 * Numbers events, keeps them for replays, and queues a delivery of each for every endpoint that wants its kind.
 * @param events those of an order in their order
 */
export async function addDeliveries(tx: Transaction, events: SentEvent[]): Promise<void> {
  // Locked, so that none is deleted before its deliveries are written.
  const receivers = await tx.run<Receiver>(sql`
    select id, kinds from webhooks where state in ('ACTIVE', 'PAUSED') order by id for key share`);
  if (receivers.length === 0) return;
  const deliveries = receivers.flatMap(({ id: webhookId, kinds }) =>
    events
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ eventId }) => ({ id: deliveryId(webhookId, eventId), webhookId, eventId })),
  );
  const rows = events.map((event, position) => ({ ...event, position }));
  const columns = { eventId: 'uuid', orderId: 'uuid', kind: 'text', at: 'timestamptz', position: 'int' } as const;
  tx.send(sql`
    with event as (
      select *, row_number() over (partition by "orderId" order by position desc) - 1 as "laterOnes"
      from ${rowsAs('event', rows, columns)}
    ), numbered as (
      insert into webhook_sequences (order_id, last) select "orderId", count(*) from event group by "orderId" order by "orderId"
      on conflict (order_id) do update set last = webhook_sequences.last + excluded.last
      returning order_id, last
    ), kept as (
      insert into webhook_events (id, order_id, kind, sequence, at)
      select "eventId", "orderId", kind, last - "laterOnes", at from event join numbered on order_id = "orderId"
      returning id, order_id, kind, sequence, at
    )
    ${insertDeliveries(
      sql`select delivery.id, delivery."webhookId", kept.id, kept.order_id, kept.kind, kept.sequence, kept.at
      from ${rowsAs('delivery', deliveries, { id: 'uuid', webhookId: 'uuid', eventId: 'uuid' })}
      join kept on kept.id = delivery."eventId"`,
      dueAtOnce,
    )}`);
  if (deliveries.length > 0) wakeOutgoing(tx, queueName);
}

/**
 * While the endpoint is paused or fails, or an earlier delivery of the order is pending or written along where the order matters, they
 * are held.
 */
const dueAtOnce = sql`
  case
    when webhook.state <> 'ACTIVE' or webhook.failures >= ${restsAfter}::int then 'infinity'
    when webhook.ordered and (
      row_number() over (partition by webhook.id, row.order_id order by row.sequence) > 1
      or exists (
        select from webhook_deliveries as earlier
        where earlier.webhook_id = webhook.id and earlier.order_id = row.order_id and earlier.state = 'PENDING')) then 'infinity'
    else now()
  end`;

/** @param rows id, webhook, event, order, kind, sequence and time of each */
const insertDeliveries = (rows: Sql, dueAt: Sql) => sql`
  insert into webhook_deliveries (id, lane, webhook_id, event_id, order_id, kind, sequence, at, due_at)
  select row.id, webhook.id::text, webhook.id, row.event_id, row.order_id, row.kind, row.sequence, row.at, ${dueAt}
  from (${rows}) as row(id, webhook_id, event_id, order_id, kind, sequence, at)
  join webhooks as webhook on webhook.id = row.webhook_id
  order by row.id
  on conflict do nothing`;

/** What became of a claimed delivery. */
export interface EndedDelivery extends Pick<Attempt, 'status' | 'failure'> {
  id: string;
  state: 'PENDING' | 'DELIVERED' | 'GIVEN_UP';
  /** When it is tried again; null: never. */
  dueInMs: number | null;
}

/** Notes the outcomes of claimed deliveries, and when they are due again: one statement, because every version of a row costs. */
export function noteAttempts(tx: Transaction, ended: EndedDelivery[]): void {
  const rows = ended.map((one) => ({ ...one, failure: one.failure && storable(one.failure, 300) }));
  tx.send(sql`
    update webhook_deliveries as delivery
    set state = row.state, status = row.status, failure = row.failure, tried_at = now(), tries = tries + 1,
        due_at = now() + row."dueInMs" * interval '1 ms'
    from ${rowsAs('row', rows, { id: 'uuid', state: 'text', status: 'int', failure: 'text', dueInMs: 'int' })}
    where delivery.id = row.id`);
}

/**
 * Lets the next delivery of the same order go, which has waited for one of these.
 * @param over ids of deliveries that are over, to endpoints for which the order matters
 */
export async function releaseNext(tx: Transaction, over: string[]): Promise<void> {
  if (over.length === 0) return;
  // One that is being written at the moment is not seen here. `releaseHeld` finds it.
  const released = await tx.run(sql`
    update webhook_deliveries as delivery set due_at = now()
    from webhook_deliveries as over
    join webhooks as webhook on webhook.id = over.webhook_id and webhook.ordered and webhook.state = 'ACTIVE'
    cross join lateral (
      select waiting.id, waiting.due_at from webhook_deliveries as waiting
      where waiting.webhook_id = over.webhook_id and waiting.order_id = over.order_id and waiting.state = 'PENDING'
      order by waiting.sequence limit 1 for update skip locked
    ) as next
    where over.id = any(${over}::uuid[]) and delivery.id = next.id and next.due_at = 'infinity'
    returning 1`);
  if (released.length > 0) wakeOutgoing(tx, queueName);
}

/** @param ids of claimed deliveries whose endpoint is paused */
export function holdDeliveries({ send }: Transaction, ids: string[]): void {
  send(sql`update webhook_deliveries set due_at = 'infinity' where id = any(${ids}::uuid[])`);
}

/** A statement may take 10 s. */
const batchSize = 5_000;

/** Holds what is due for endpoints that rest. Deliveries that were tried keep the time of their next attempt. */
export function holdDue({ send }: Transaction, webhookIds: string[]): void {
  send(sql`
    update webhook_deliveries as delivery set due_at = 'infinity'
    from unnest(${webhookIds}::uuid[]) as webhook(id) cross join lateral (
      select due.id from webhook_deliveries as due
      where due.lane = webhook.id::text and due.due_at <= now()
      order by due.due_at limit ${batchSize}::int for update skip locked
    ) as held
    where delivery.id = held.id`);
}

/** A second, for each endpoint. */
const releasedAtOnce = 50;
/** Longer than an attempt, so that an endpoint that fails gets one delivery at a time. */
const probeSeconds = 20;

const keyset = createKeyset(
  'webhook-deliveries',
  {
    createdAt: timeColumn('created_at'),
    id: uuidColumn('id'),
  },
  'id',
);

const asJson =
  raw(`json_build_object('id', id, 'eventId', event_id, 'orderId', order_id, 'type', kind, 'sequence', sequence,
  'state', state, 'attempts', tries, 'status', status, 'failure', failure, 'createdAt', ${isoTime('created_at', 'MS')},
  'triedAt', ${isoTime('tried_at', 'MS')},
  'dueAt', case when isfinite(due_at) then ${isoTime('due_at', 'MS')} end)::text`);

/** One transaction writes them all. At 50 a second they are sent within 17 minutes. */
const maxReplayed = 50_000;
const replayDays = 30;
/** Longer than events are kept, so that what was given up by then can be seen. */
const keptDays = 35;

export type DeliveryRepository = ReturnType<typeof createDeliveryRepository>;

export function createDeliveryRepository({ run, lists, inTransaction }: Database<PrismaClient>) {
  return {
    /** A page, the newest first. */
    page(webhookId: string, { state, ...page }: DeliveryQuery) {
      const where = [sql`webhook_id = ${webhookId}::uuid`];
      if (state !== undefined) where.push(sql`state = ${state}`);
      return lists.inTurn(webhookId, () =>
        readPage<{ json: string }>(
          lists.run,
          { select: sql`${asJson} as json`, from: sql`webhook_deliveries`, where },
          keyset([
            { field: 'createdAt', direction: 'desc' },
            { field: 'id', direction: 'desc' },
          ]),
          page,
        ),
      );
    },

    /** Queues a test. */
    addTest: (webhookId: string, eventId: string): Promise<void> =>
      inTransaction((tx) => {
        const test = sql`
          select ${deliveryId(webhookId, eventId)}::uuid, ${webhookId}::uuid, ${eventId}::uuid, null::uuid, ${testKind}, 0, now()`;
        tx.send(insertDeliveries(test, sql`now()`));
        wakeOutgoing(tx, queueName);
      }),

    /** Sends a delivery again, whatever became of it. @returns false if there is none */
    repeat: (webhookId: string, id: string): Promise<boolean> =>
      inTransaction(async (tx) => {
        const repeated = await tx.run(sql`
          update webhook_deliveries set state = 'PENDING', due_at = now(), tries = 0
          where id = ${id}::uuid and webhook_id = ${webhookId}::uuid returning 1`);
        if (repeated.length > 0) wakeOutgoing(tx, queueName);
        return repeated.length > 0;
      }),

    /**
     * Sends the events of a time again, under the ids that they had.
     * @returns how many
     * @throws DomainError invalid if there are more than 50,000
     */
    replay: (
      webhookId: string,
      { from, to, kinds }: { from: string; to: string; kinds: readonly string[] },
    ): Promise<number> =>
      inTransaction(async (tx) => {
        const [webhook] = await tx.run(sql`select from webhooks where id = ${webhookId}::uuid for key share`);
        if (webhook === undefined) throw new DomainError('notFound', `There is no webhook ${webhookId}.`);
        const events = await tx.run<{ id: string }>(sql`
          select id from webhook_events
          where created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz and kind = any(${kinds}::text[])
          order by created_at, id limit ${maxReplayed + 1}::int`);
        if (events.length > maxReplayed)
          throw invalidFields({
            path: 'body.to',
            message: `must be earlier: there are more than ${maxReplayed} events`,
          });
        if (events.length === 0) return 0;
        const rows = events.map(({ id }) => ({ id: deliveryId(webhookId, id), eventId: id }));
        const row = rowsAs('row', rows, { id: 'uuid', eventId: 'uuid' });
        tx.send(sql`
          update webhook_deliveries as delivery set state = 'PENDING', due_at = 'infinity', tries = 0
          from ${row} where delivery.id = row.id`);
        const replayed = sql`
          select row.id, ${webhookId}::uuid, event.id, event.order_id, event.kind, event.sequence, event.at
          from ${row} join webhook_events as event on event.id = row."eventId"`;
        tx.send(insertDeliveries(replayed, sql`'infinity'`));
        return rows.length;
      }),

    /**
     * Makes held deliveries due, so many a second for each endpoint, the oldest first; of an endpoint that has rested only one, which
     * shows whether it works again. Where the order matters, those that wait for an earlier one of their order stay.
     */
    async releaseHeld(): Promise<void> {
      const mayGet = sql`
        select id from webhooks
        where state = 'ACTIVE' and coalesce(resting_until <= now(), true)
          and coalesce(released_at <= now() - interval '900 ms', true)
          and exists (select from webhook_deliveries where lane = webhooks.id::text and due_at = 'infinity')`;
      // Cheaper than a transaction, since there is rarely one.
      if ((await run(sql`${mayGet} limit 1`)).length === 0) return;
      await inTransaction(async (tx) => {
        const endpoints = await tx.run<{ id: string }>(sql`${mayGet} order by id for no key update skip locked`);
        if (endpoints.length === 0) return;
        const ids = endpoints.map(({ id }) => id);
        const released = await tx.run<{ webhookId: string }>(sql`
          update webhook_deliveries as delivery set due_at = now()
          from webhooks as webhook cross join lateral (
            select waiting.id from webhook_deliveries as waiting
            where waiting.webhook_id = webhook.id and waiting.state = 'PENDING' and waiting.due_at = 'infinity'
              and not (webhook.ordered and exists (
                select from webhook_deliveries as earlier
                where earlier.webhook_id = waiting.webhook_id and earlier.order_id = waiting.order_id
                  and earlier.state = 'PENDING' and earlier.sequence < waiting.sequence))
            order by waiting.created_at, waiting.id
            limit case when webhook.failures >= ${restsAfter}::int then 1 else ${releasedAtOnce}::int end
            for update skip locked
          ) as next
          where webhook.id = any(${ids}::uuid[]) and delivery.id = next.id
          returning delivery.webhook_id as "webhookId"`);
        if (released.length === 0) return;
        tx.send(sql`
          update webhooks set released_at = now(),
            resting_until = case when failures >= ${restsAfter}::int then now() + ${probeSeconds}::int * interval '1 second' end
          where id = any(${[...new Set(released.map(({ webhookId }) => webhookId))]}::uuid[])`);
        wakeOutgoing(tx, queueName);
      });
    },

    /** Gives up what endpoints that have ended can no longer get. @returns true if there may be more */
    async giveUpEnded(): Promise<boolean> {
      const givenUp = await run(sql`
        update webhook_deliveries set state = 'GIVEN_UP', due_at = null, failure = ${endedFailure}
        where id in (
          select delivery.id from webhooks as webhook
          join webhook_deliveries as delivery on delivery.webhook_id = webhook.id and delivery.state = 'PENDING'
          where webhook.state in ('GIVEN_UP', 'GONE')
          limit ${batchSize}::int for update of delivery skip locked)
        returning 1`);
      return givenUp.length === batchSize;
    },

    /** Gives up what has waited for too long, and deletes what can no longer be replayed or looked at. */
    async cleanUp(): Promise<void> {
      await run(sql`
        update webhook_deliveries as delivery set state = 'GIVEN_UP', due_at = null, failure = ${tooOldFailure}
        from webhooks as webhook
        where webhook.id = delivery.webhook_id and webhook.state = 'PAUSED' and delivery.state = 'PENDING'
          and delivery.created_at < now() - ${replayDays}::int * interval '1 day'`);
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from webhook_deliveries where id in (
            select delivery.id from webhooks as webhook join webhook_deliveries as delivery on delivery.webhook_id = webhook.id
            where delivery.state <> 'PENDING' and delivery.created_at < now() - ${keptDays}::int * interval '1 day'
            limit ${limit})`,
      );
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from webhook_events where id in (
            select id from webhook_events where created_at < now() - ${replayDays}::int * interval '1 day' limit ${limit})`,
      );
    },
  };
}

export const endedFailure = 'The webhook has ended.';
const tooOldFailure = `The webhook was paused for ${replayDays} days.`;

/** Deletes the deliveries of an endpoint, before it is deleted itself. */
export const deleteDeliveries = ({ run }: Pick<Database<PrismaClient>, 'run'>, webhookId: string): Promise<number> =>
  deleteInBatches(
    run,
    (limit) => sql`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where webhook_id = ${webhookId}::uuid limit ${limit})`,
  );
