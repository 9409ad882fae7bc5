import type { Database } from '../../database/database.ts';
import { isDatabaseUnavailable } from '../../database/errors.ts';
import type { Transaction, TransactionOf } from '../../database/transaction.ts';
import { runInTrace, startSpan, type Trace, traceFrom } from '../../observability/trace-context.ts';
import { DomainError } from '../../values/errors.ts';
import { letterRef } from '../dead-letters/dead-letters.ts';
import { recordOpen, recordsOf } from '../dead-letters/records.ts';
import {
  type AccountEvent,
  type AccountEventKind,
  type EventKind,
  eventAttributes,
  isOfAccount,
  keyOf,
  type OrderEvent,
  operation,
  type StoreEvent,
  topicOf,
} from '../events.ts';
import { consumerMetrics } from './metrics.ts';
import { recordEvents } from './processed-events.ts';

/** An event as it was delivered, perhaps again. */
export interface DeliveredEvent<Kind extends EventKind = EventKind> {
  event: OrderEvent<Kind>;
  /** Trace within which others are called, or events written, because of this one. */
  trace: Trace;
}

/** An event that its group has not processed before. */
export interface NewEvent<Prepared = unknown, Kind extends EventKind = EventKind> extends DeliveredEvent<Kind> {
  prepared: Prepared;
}

/** A consumer group: its name, the kinds it handles, and how (contract 6.6). One that names its kinds is told where it forgets one. */
export interface ConsumerGroup<Client, Prepared = unknown, Kind extends EventKind = EventKind> {
  /** Has offsets, and processed event ids, of its own. */
  name: string;
  /** Other kinds are skipped unread. */
  kinds: readonly Kind[];
  /**
   * Makes the calls to others that must precede the transaction, and may commit rows of its own. Repeated when an event is
   * delivered again, even if it was processed before. Throws PoisonError, or `unavailable` to make the partition wait.
   * @returns one result per event, in their order
   */
  prepare?(events: DeliveredEvent<Kind>[]): Promise<Prepared[]>;
  /**
   * Changes the database, in the transaction that also records the ids of the events. They come in their order and each
   * is of another order: the next event of an order is prepared after this transaction has been committed. Other replicas
   * handle other events meanwhile, so rows are locked in a fixed order (decisions/0022).
   * @param refuse says that an event becomes a dead letter as well, although what the handler does because of it stands
   */
  handle(events: NewEvent<Prepared, Kind>[], tx: TransactionOf<Client>, refuse: Refuse): Promise<void>;
  /** For the events of accounts, if it handles any: in the same transaction, each of another account. */
  accounts?: {
    kinds: readonly AccountEventKind[];
    handle(events: AccountEvent[], tx: TransactionOf<Client>): Promise<void>;
  };
  /** How many messages are handled together at most. More are faster; the handler may call others for all at once. */
  chunkSize: number;
  /** Time in which messages may gather. Default: none while there are few, tens of ms while there are many. */
  maxWaitMs?: number;
}

export type Refuse = (event: OrderEvent, reason: string) => void;
/** Why events become dead letters although they were processed. */
export type Refused = ReadonlyMap<StoreEvent, string>;

export const kindsOf = ({ kinds, accounts }: Handled): ReadonlySet<string> =>
  new Set([...kinds, ...(accounts?.kinds ?? [])]);
export const topicsOf = (group: Handled): string[] => [...new Set([...kindsOf(group)].map(topicOf))];

type Handled = Pick<ConsumerGroup<unknown>, 'kinds'> & { accounts?: { kinds: readonly AccountEventKind[] } };

/**
 * Handles events in one transaction, each once, however often it is delivered. Only the first of each order: the next one is handled
 * after that, in a transaction of its own (decisions/0022). If it throws, some events may have been handled.
 * @param claim for one event or none, called first in the transaction; if it returns false, nothing is handled
 * @returns those that need a dead letter, including repeated ones: the process may have ended before it wrote theirs
 */
export async function handleOnce<Client, Prepared>(
  group: ConsumerGroup<Client, Prepared>,
  database: Pick<Database<Client>, 'inTransaction'>,
  events: StoreEvent[],
  claim?: (tx: Transaction) => Promise<boolean>,
): Promise<Refused> {
  const { round, later } = firstOfEachKey(events);
  const spans = new Map(round.map((event) => [event, startEventSpan(event, group.name)]));
  const delivered = round.flatMap((event) =>
    isOfAccount(event) ? [] : [{ event, trace: spans.get(event) ?? traceFrom(event.traceparent) }],
  );
  const processed = new Set<StoreEvent>();
  const refused = new Map<StoreEvent, string>();
  try {
    const [first] = delivered;
    // A call that serves several events belongs to the trace of the first one.
    const prepared = first && (await runInTrace(first.trace, async () => group.prepare?.(delivered)));
    await database.inTransaction(async (tx) => {
      processed.clear();
      refused.clear();
      if (claim !== undefined && !(await claim(tx))) return;
      const ids = round.map(({ id }) => id);
      const isNew = await recordEvents(group.name, ids, tx);
      const fresh = delivered.flatMap((one, index): NewEvent<Prepared>[] =>
        // An id that is twice in one chunk is new only once: deleting it from the set succeeds only once.
        isNew.delete(one.event.id) ? [{ ...one, prepared: prepared?.[index] as Prepared }] : [],
      );
      const ofAccounts = round.filter(isOfAccount).filter(({ id }) => isNew.delete(id));
      for (const event of [...fresh.map((one) => one.event), ...ofAccounts]) processed.add(event);
      if (ofAccounts.length > 0) await group.accounts?.handle(ofAccounts, tx);
      if (fresh.length > 0) await group.handle(fresh, tx, (event, reason) => refused.set(event, reason));
      for (const [event, reason] of refused) await recordOpen(tx, letterRef(group.name, event.message), reason);
      const repeated = round.filter((event) => !processed.has(event));
      for (const [event, reason] of await refusedBefore(group.name, repeated, tx)) refused.set(event, reason);
    });
  } catch (error) {
    for (const span of spans.values()) span?.end({ error });
    throw error;
  }
  consumerMetrics.handled.inc({ group: group.name, result: 'processed' }, processed.size);
  consumerMetrics.handled.inc({ group: group.name, result: 'duplicate' }, round.length - processed.size);
  for (const [event, span] of spans) {
    span?.end({ attributes: { 'store.result': processed.has(event) ? 'processed' : 'duplicate' } });
  }
  if (later.length === 0) return refused;
  return new Map([...refused, ...(await handleOnce(group, database, later))]);
}

/** Divides events into the first one of each order or account and the rest. */
function firstOfEachKey(events: StoreEvent[]) {
  const keys = new Set<string>();
  const round: StoreEvent[] = [];
  const later: StoreEvent[] = [];
  for (const event of events) {
    const key = keyOf(event.payload);
    (keys.has(key) ? later : round).push(event);
    keys.add(key);
  }
  return { round, later };
}

/** Starts a child of the span that published the event, not a link, so that an order is one trace to its shipment. */
const startEventSpan = (event: StoreEvent, group: string) =>
  startSpan({
    name: `process ${event.kind}`,
    kind: 'consumer',
    parent: event.traceparent,
    attributes: {
      ...eventAttributes({ ...event, key: keyOf(event.payload) }),
      ...operation('process'),
      'messaging.consumer.group.name': group,
      'messaging.destination.partition.id': String(event.message.origin.partition),
      'messaging.kafka.offset': Number(event.message.origin.offset),
    },
  });

/** Finds the repeated events that were refused: the process may have ended before their letters were written. */
async function refusedBefore(group: string, events: StoreEvent[], tx: Transaction) {
  if (events.length === 0) return [];
  const idOf = ({ message }: StoreEvent) => letterRef(group, message).id;
  const records = await recordsOf(tx, group, events.map(idOf));
  return events.flatMap((event): [StoreEvent, string][] => {
    const { status, error = null } = records.get(idOf(event)) ?? {};
    return status === 'OPEN' && error !== null ? [[event, error]] : [];
  });
}

/** Tells whether a failure says nothing about the event, because something that its handler depends on cannot serve anybody. */
export const isUnavailable = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof DomainError && error.kind === 'unavailable');
