import { Counter } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Transaction, TransactionOf } from '../database/transaction.ts';
import type { Logger } from '../observability/log.ts';
import { coalesce } from '../values/coalesce.ts';
import { loop } from '../values/loop.ts';
import { inTime, retry, sleep } from '../values/time.ts';
import { type CallTable, type ClaimedCall, createCallRepository } from './call-repository.ts';

export type { CallTable, ClaimedCall } from './call-repository.ts';

/** A call whose answer is there. `error` is what the call threw, or that it took too long: whether it had an effect is unknown. */
export type Ended<Call, Outcome> = { call: Call } & ({ outcome: Outcome } | { error: unknown });

/** Has the calls that this transaction has written to a queue made as soon as it is committed. */
export const wakeOutgoing = (tx: Transaction, queue: string): void => tx.notifyAfterCommit(channelOf(queue));

/** What a call is written with that this process makes itself, once it is committed: in place of a due time the end of its lease. */
export interface Taken {
  attempts: 1;
  leaseMs: number;
}

const channelOf = (queue: string) => `outgoing-${queue}`;

/** What happens to a call next: nothing, it is made again in some milliseconds, or its due time is what the service has stored. */
export type Next = 'done' | 'stored' | { againInMs: number };

export interface Queue<Client, Call extends ClaimedCall, Outcome> extends CallTable<Call> {
  /** For logs and metrics. */
  name: string;
  /** Calls of a lane that this process has in flight at once. */
  perLane: number;
  /**
   * In ms. With it, a lane that had no calls for some seconds begins with one. A call that ends within this time lets one more be made
   * at once, up to `perLane`; one that takes longer brings the lane back to one. So a thousand lanes that hang take a thousand
   * connections.
   * Default: every lane begins with `perLane`.
   */
  slowStartMs?: number;
  /**
   * In ms. Calls that are due within this time after others are claimed together, and outcomes that come within half of it are stored
   * together: a transaction costs as much for one as for ten. Default: 0.
   */
  gatherMs?: number;
  /** A call that takes longer is given up; its lease ends later than that. */
  callMs: number;
  /** Makes the call. No transaction is open, and another worker may have made it before. */
  make(call: Call, signal: AbortSignal): Promise<Outcome>;
  /**
   * Stores what the calls came to, together with the events that announce it. The calls are locked, and no other worker has claimed
   * them since.
   * @returns what happens to each of them, in their order
   */
  settle(tx: TransactionOf<Client>, ended: Ended<Call, Outcome>[], log: Logger): Promise<Next[]> | Next[];
}

export interface Outgoing<Call> {
  /**
   * Takes on new calls of a lane, all or none. Others may be taken on before they are committed, so a lane can exceed its limit by as
   * many.
   * @returns undefined if the lane has no room for them here: write them as due, and wake the queue
   */
  take(lane: string, count: number): Taken | undefined;
  /** Makes calls that this transaction has written as taken, once it is committed. */
  makeAfterCommit(tx: Transaction, taken: Call[]): void;
  start(log: Logger): {
    name: string;
    /** Waits for the calls in flight: their outcome is stored, or another process finds it out after the end of their lease. */
    stop(): Promise<void>;
  };
}

interface Lane {
  /** In flight. */
  calls: number;
  limit: number;
  endedAt: number;
  /** Whether calls may be due that nobody has claimed: new ones do not overtake them. */
  mayWait: boolean;
}

/** How often a process looks for calls by itself: those of other processes, those that are due later, and those of dead workers. */
const everyMs = 1_000;
/** From the end of a call until its outcome is stored, at most. After that another worker may claim it. */
const settleMs = 20_000;
const pauses = { firstMs: 200, maxMs: 2_000 };
/** A lane without calls is forgotten after this time, so that it begins slowly again. */
const forgetLaneAfterMs = 5_000;

const ended = new Counter({
  name: 'outgoing_calls_total',
  help: 'Calls to others that have ended, by queue and result: answered, failed, unstored, or lost to another worker.',
  labelNames: ['queue', 'result'],
});

/**
 * Makes calls that may hang, or whose outcome may stay unknown: a row for each is written in the transaction that decides it
 * ({@link wakeOutgoing}). A worker commits that it makes the call before it does, and commits the outcome together with what follows
 * from it. If it dies in between, another one claims the call after the end of its lease. So every call is made at least once, and
 * whoever makes it must be able to repeat it.
 *
 * A process that writes calls may make them itself: with the lease of {@link Taken} the transaction that writes them also claims them.
 */
export function outgoing<Client, Call extends ClaimedCall, Outcome>(
  database: Pick<Database<Client>, 'run' | 'inTransaction' | 'notifier'>,
  { name, perLane, slowStartMs, gatherMs = 0, callMs, make, settle, ...table }: Queue<Client, Call, Outcome>,
): Outgoing<Call> {
  const { inTransaction, notifier } = database;
  const repository = createCallRepository<Call>(database, table);
  const leaseMs = callMs + settleMs;
  const firstLimit = slowStartMs === undefined ? perLane : 1;
  /** The lanes that have calls in flight or had some lately. */
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { calls: 0, limit: firstLimit, endedAt: performance.now(), mayWait: false };
    lanes.set(name, lane);
    return lane;
  };
  for (const result of ['answered', 'failed', 'unstored', 'lost']) ended.inc({ queue: name, result }, 0);

  async function makeOne(call: Call): Promise<Ended<Call, Outcome>> {
    const late = () => new Error(`There was no answer within ${callMs} ms`);
    try {
      return { call, outcome: await inTime(callMs, (signal) => make(call, signal), late) };
    } catch (error) {
      return { call, error };
    }
  }

  const store = (all: Ended<Call, Outcome>[], log: Logger): Promise<void> =>
    inTransaction(async (tx) => {
      const own = await repository.lockOwn(
        tx,
        all.map(({ call }) => call),
      );
      // This process may have claimed a call again, too.
      const mine = all.filter(({ call }) => own.get(call.id) === call.attempts);
      ended.inc({ queue: name, result: 'lost' }, all.length - mine.length);
      if (mine.length === 0) return;
      const nexts = await settle(tx, mine, log);
      const next = mine.flatMap(({ call: { id } }, index) => {
        const own = nexts[index];
        return own === 'stored' ? [] : { id, inMs: dueIn(own) };
      });
      if (next.length > 0) repository.release(tx, next);
    });

  /** Makes a claimed call; undefined before the start. */
  let beginCall: ((call: Call) => void) | undefined;
  let takesCalls = false;

  return {
    take(lane, count) {
      const load = laneOf(lane);
      if (takesCalls && !load.mayWait && load.calls + count <= load.limit) return { attempts: 1, leaseMs };
      load.mayWait = true;
      return undefined;
    },

    makeAfterCommit(tx, taken) {
      tx.afterCommit(() => {
        for (const call of taken) beginCall?.(call);
      });
    },

    start(log) {
      const underWay = new Set<Promise<void>>();
      /** Outcomes that come while a transaction is under way share the next one. */
      const storeTogether = coalesce<Ended<Call, Outcome>, void>((all) => store(all, log), gatherMs / 2);

      /** A call that has ended makes room, also while its outcome is being stored: the lane is not to blame for a slow database. */
      function end(lane: string, tookMs: number): void {
        const load = lanes.get(lane);
        if (load === undefined) return;
        const wasFull = load.calls >= load.limit;
        load.calls -= 1;
        load.endedAt = performance.now();
        if (slowStartMs !== undefined) load.limit = tookMs <= slowStartMs ? Math.min(load.limit + 1, perLane) : 1;
        if (wasFull) claiming.wake();
      }

      /** One outcome that cannot be stored fails all that share its transaction, so each is tried alone then, until its lease is over. */
      async function storeInTime(one: Ended<Call, Outcome>): Promise<void> {
        const end = performance.now() + settleMs;
        const giveUpAtEnd = (error: unknown) => {
          if (performance.now() > end) throw error;
        };
        await storeTogether(one).catch(() => retry(() => store([one], log), pauses, giveUpAtEnd));
      }

      async function carryOut(call: Call): Promise<void> {
        const began = performance.now();
        const one = await makeOne(call);
        end(call.lane, performance.now() - began);
        const result = await storeInTime(one).then(
          () => ('error' in one ? 'failed' : 'answered'),
          (error: unknown) => {
            log.error({ err: error, queue: name, callId: call.id }, 'The outcome of a call could not be stored');
            return 'unstored';
          },
        );
        ended.inc({ queue: name, result });
      }

      beginCall = (call) => {
        laneOf(call.lane).calls += 1;
        const done = carryOut(call).finally(() => underWay.delete(done));
        underWay.add(done);
      };
      takesCalls = true;

      const claiming = loop({ name: `outgoing ${name}`, everyMs }, async () => {
        for (const [lane, { calls, endedAt }] of lanes)
          if (calls === 0 && performance.now() - endedAt > forgetLaneAfterMs) lanes.delete(lane);
        const room = new Map(Array.from(lanes, ([lane, { limit, calls }]) => [lane, Math.max(limit - calls, 0)]));
        const calls = await repository.claim({ room, roomOfOthers: firstLimit, leaseMs });
        const claimed = Map.groupBy(calls, ({ lane }) => lane);
        for (const [lane, load] of lanes)
          load.mayWait = (claimed.get(lane)?.length ?? 0) >= (room.get(lane) ?? firstLimit);
        for (const call of calls) beginCall?.(call);
        if (gatherMs > 0 && calls.length > 0) await sleep(gatherMs);
      }).start(log);
      notifier.wakeDirectly(channelOf(name), () => {
        claiming.wake();
        return true;
      });

      return {
        name: claiming.name,
        async stop() {
          takesCalls = false;
          await claiming.stop();
          await Promise.all(underWay);
        },
      };
    },
  };
}

const dueIn = (next: Exclude<Next, 'stored'> | undefined): number | undefined =>
  next === undefined || next === 'done' ? undefined : Math.ceil(next.againInMs);
