import type { Database } from '../../database/database.ts';
import { isDatabaseUnavailable } from '../../database/errors.ts';
import type { Transaction } from '../../database/transaction.ts';
import { runInTrace, startSpan, traceFrom } from '../../observability/trace-context.ts';
import { DomainError } from '../../values/errors.ts';
import { letterRef } from '../dead-letters/dead-letters.ts';
import { recordOpen, recordsOf } from '../dead-letters/records.ts';
import { eventAttributes, isOfAccount, keyOf, operation, type StoreEvent } from '../events.ts';
import type { Claim, ConsumerGroup, NewEvent } from './group.ts';
import { consumerMetrics } from './metrics.ts';
import { recordEvents } from './processed-events.ts';

/** The outcome of an event. A dead event needs a dead letter, and is never processed otherwise. */
export type Outcome = { result: 'processed' | 'duplicate' } | { result: 'dead'; attempts: number; reason: unknown };

type DatabaseOf<Client> = Pick<Database<Client>, 'inTransaction'>;

/**
 * Processes each event once, even if it is redelivered: its id is recorded in the transaction of its handler. Events of one
 * order or account are processed in sequence, each in a separate transaction unless the group takes several (decisions/0022).
 * @param claim only with at most one event
 * @returns an outcome per event, in the order of the events. An event that was refused before is dead again, because the earlier
 *   process may have ended before it wrote the letter
 * @throws the handler's error; some events may have been processed, and are duplicates when they are redelivered
 */
export async function processEvents<Client, Prepared>(
  group: ConsumerGroup<Client, Prepared>,
  database: DatabaseOf<Client>,
  events: StoreEvent[],
  claim?: Claim,
): Promise<Outcome[]> {
  const outcomes = new Map<StoreEvent, Outcome>();
  for (const round of group.takesSeveralPerOrder ? [events] : roundsByKey(events)) {
    const ofRound = await processRound(group, database, round, claim);
    for (const [event, outcome] of ofRound) outcomes.set(event, outcome);
  }
  return events.flatMap((event) => outcomes.get(event) ?? []);
}

/** Divides events into rounds: the first has the first event of each key, the second has the second events, and so on. */
function roundsByKey(events: StoreEvent[]): StoreEvent[][] {
  const rounds: StoreEvent[][] = [];
  const counts = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event.payload);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const round = rounds[count];
    if (round === undefined) rounds.push([event]);
    else round.push(event);
  }
  // One round without events, so that a claim is made.
  return rounds.length > 0 ? rounds : [[]];
}

/** Processes events of different keys in one transaction. */
async function processRound<Client, Prepared>(
  group: ConsumerGroup<Client, Prepared>,
  database: DatabaseOf<Client>,
  round: StoreEvent[],
  claim?: Claim,
): Promise<Map<StoreEvent, Outcome>> {
  const spans = new Map(round.map((event) => [event, startEventSpan(event, group.name)]));
  const delivered = round.flatMap((event) =>
    isOfAccount(event) ? [] : [{ event, trace: spans.get(event) ?? traceFrom(event.traceparent) }],
  );
  try {
    const [first] = delivered;
    // A call that serves several events belongs to the trace of the first.
    const prepared = first && (await runInTrace(first.trace, async () => group.prepare?.(delivered)));
    const { processed, refused } = await database.inTransaction(async (tx) => {
      if (claim !== undefined && !(await claim(tx)))
        return { processed: new Set<StoreEvent>(), refused: new Map<StoreEvent, string>() };
      const isNew = await recordEvents(
        group.name,
        round.map(({ id }) => id),
        tx,
      );
      // A repeated id in one round is new only once: only its first deletion from the set succeeds.
      const processed = new Set(round.filter(({ id }) => isNew.delete(id)));
      const fresh = delivered.flatMap((one, index): NewEvent<Prepared>[] =>
        processed.has(one.event) ? [{ ...one, prepared: prepared?.[index] as Prepared }] : [],
      );
      const ofAccounts = round.filter(isOfAccount).filter((event) => processed.has(event));
      const refused = new Map<StoreEvent, string>();
      if (ofAccounts.length > 0) await group.accounts?.handle(ofAccounts, tx);
      if (fresh.length > 0) await group.handle(fresh, tx, (event, reason) => refused.set(event, reason));
      for (const [event, reason] of refused) await recordOpen(tx, letterRef(group.name, event.message), reason);
      const repeated = round.filter((event) => !processed.has(event));
      for (const [event, reason] of await refusedBefore(group.name, repeated, tx)) refused.set(event, reason);
      return { processed, refused };
    });
    consumerMetrics.handled.inc({ group: group.name, result: 'processed' }, processed.size);
    consumerMetrics.handled.inc({ group: group.name, result: 'duplicate' }, round.length - processed.size);
    return new Map(
      round.map((event) => {
        const result = processed.has(event) ? 'processed' : 'duplicate';
        spans.get(event)?.end({ attributes: { 'store.result': result } });
        const reason = refused.get(event);
        return [event, reason === undefined ? { result } : { result: 'dead', attempts: 1, reason }];
      }),
    );
  } catch (error) {
    for (const span of spans.values()) span?.end({ error });
    throw error;
  }
}

/** Starts a child of the span that published the event, not a link, so that an order is one trace until its shipment. */
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

/** Finds repeated events that were refused: the earlier process may have ended before it wrote their letters. */
async function refusedBefore(group: string, events: StoreEvent[], tx: Transaction) {
  if (events.length === 0) return [];
  const idOf = ({ message }: StoreEvent) => letterRef(group, message).id;
  const records = await recordsOf(tx, group, events.map(idOf));
  return events.flatMap((event): [StoreEvent, string][] => {
    const { status, error = null } = records.get(idOf(event)) ?? {};
    return status === 'OPEN' && error !== null ? [[event, error]] : [];
  });
}

/** Tells whether a failure is not the event's fault, because a dependency of its handler is unavailable. */
export const isUnavailable = (error: unknown) =>
  isDatabaseUnavailable(error) || (error instanceof DomainError && error.kind === 'unavailable');
