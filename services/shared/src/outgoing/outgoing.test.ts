import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../../tests/kit/postgres/open-database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { rowsAs } from '../database/rows.ts';
import { sql } from '../database/sql.ts';
import { createLog } from '../observability/log.ts';
import { type ClaimedCall, outgoing, type Queue, wakeOutgoing } from './outgoing.ts';

// The table of payment's steps, with a queue of its own; "traceparent" is what these calls have besides.
interface Call extends ClaimedCall {
  traceparent: string;
}
type TestQueue = Queue<unknown, Call, string>;

const postgres = useDatabase('payment', 'each');
const database = postgres.open((url) => openAnyDatabase(url, 10), 'each');
const log = createLog('outgoing', process.env.TEST_LOG ?? 'silent');

const started: { stop(): unknown }[] = [];
/** Ends what hangs, with the test. */
let atEnd: (() => void)[] = [];
afterEach(async () => {
  for (const end of atEnd) end();
  atEnd = [];
  for (const one of started.splice(0)) await one.stop();
});

const hang = () => new Promise<string>((resolve) => atEnd.push(() => resolve('late')));

/** Starts a worker. What is not given answers at once, and is done. */
function startWorker(given: Partial<TestQueue> = {}) {
  const settled: string[] = [];
  const queue: TestQueue = {
    name: `test-${randomUUID()}`,
    table: 'payment_steps',
    columns: sql`call.traceparent`,
    claim: ({ run }, statement) => run<Call>(statement),
    perLane: 5,
    callMs: 10_000,
    make: async ({ traceparent }) => `answer to ${traceparent}`,
    async settle(_, ended) {
      settled.push(...ended.map((one) => ('error' in one ? String(one.error) : one.outcome)));
      return ended.map(() => 'done');
    },
    ...given,
  };
  const calls = outgoing(database, queue);
  const worker = calls.start(log);
  started.push(worker);
  return { ...worker, calls, queue, settled };
}

/** Writes calls that are due, in a transaction that wakes the worker. @param names stored as "traceparent" */
async function add(
  lane: 'charge' | 'refund',
  names: string[],
  { queue }: { queue?: TestQueue } = {},
): Promise<string[]> {
  const rows = names.map((name) => ({ id: randomUUID() as string, orderId: randomUUID() as string, name }));
  const paymentId = lane === 'refund' ? randomUUID() : null;
  await database.inTransaction(async (tx) => {
    await tx.run(sql`
      insert into payment_steps (id, lane, order_id, customer_id, payment_id, amount, currency, traceparent, due_at)
      select id, ${lane}, "orderId", "orderId", ${paymentId}::uuid, 1, 'USD', name, now()
      from ${rowsAs('step', rows, { id: 'uuid', orderId: 'uuid', name: 'text' })}`);
    if (queue) wakeOutgoing(tx, queue.name);
  });
  return rows.map(({ id }) => id);
}

const names = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`);
const steps = () =>
  queryOnce<{ traceparent: string; attempts: number; due_at: Date | null }>(
    postgres.url,
    'select traceparent, attempts, due_at from payment_steps order by created_at, traceparent',
  );

it('a call is made after the commit that wrote it, without waiting for the next look', async () => {
  const made: number[] = [];
  const worker = startWorker({
    async make() {
      made.push(performance.now());
      return '';
    },
  });
  // Its first look is over.
  await add('charge', ['first'], worker);
  await until('the first call is made', () => made.length === 1);
  await until('the first call is settled', () => worker.settled.length === 1);
  const before = performance.now();
  await add('charge', ['second'], worker);
  await until('the second call is made', () => made.length === 2);
  expect((made[1] ?? 0) - before).toBeLessThan(500);
});

it('that it is made is committed before it is made', async () => {
  let seen: unknown;
  const worker = startWorker({
    async make() {
      seen = await steps();
      return '';
    },
  });
  await add('charge', ['call'], worker);
  await until('the call is settled', () => worker.settled.length === 1);
  expect(seen).toEqual([{ traceparent: 'call', attempts: 1, due_at: expect.any(Date) }]);
  expect((seen as { due_at: Date }[])[0]?.due_at.getTime()).toBeGreaterThan(Date.now() + 10_000);
  expect(await steps()).toEqual([{ traceparent: 'call', attempts: 1, due_at: null }]);
});

/** Writes calls that the worker takes on, if it has room for them. @returns whether it had */
async function addTaken(
  worker: ReturnType<typeof startWorker>,
  names: string[],
  end = async () => {},
): Promise<boolean> {
  return database.inTransaction(async (tx) => {
    const taken = worker.calls.take('charge', names.length);
    const rows = names.map((name) => ({ id: randomUUID() as string, name }));
    const calls = await tx.run<Call>(sql`
      insert into payment_steps as call (id, lane, order_id, customer_id, amount, currency, traceparent, attempts, due_at)
      select id, 'charge', id, id, 1, 'USD', name, ${taken?.attempts ?? 0}::int, now() + ${taken?.leaseMs ?? 0}::int * interval '1 ms'
      from ${rowsAs('step', rows, { id: 'uuid', name: 'text' })}
      returning call.id, call.lane, call.attempts, call.traceparent`);
    if (taken === undefined) wakeOutgoing(tx, worker.queue.name);
    else worker.calls.makeAfterCommit(tx, calls);
    await end();
    return taken !== undefined;
  });
}

it('a call that is taken is claimed by the transaction that writes it, and made after its commit', async () => {
  let seen: unknown;
  const worker = startWorker({
    async make() {
      seen = await steps();
      return 'made';
    },
  });
  expect(await addTaken(worker, ['call'])).toBe(true);
  await until('the call is settled', () => worker.settled.length === 1);
  expect(seen).toEqual([{ traceparent: 'call', attempts: 1, due_at: expect.any(Date) }]);
  expect((seen as { due_at: Date }[])[0]?.due_at.getTime()).toBeGreaterThan(Date.now() + 10_000);
  expect(await steps()).toEqual([{ traceparent: 'call', attempts: 1, due_at: null }]);
});

it('a call that is taken is not made if its transaction is rolled back', async () => {
  const worker = startWorker();
  const fail = () => Promise.reject(new Error('rolled back'));
  await expect(addTaken(worker, ['lost'], fail)).rejects.toThrow('rolled back');
  await addTaken(worker, ['kept']);
  await until('the other is settled', () => worker.settled.length > 0);
  expect(worker.settled).toEqual(['answer to kept']);
});

it('a worker takes on no calls that it has no room for, none that would overtake others, and none once it stops', async () => {
  const ends: (() => void)[] = [];
  const make = ({ traceparent }: Call) =>
    new Promise<string>((resolve) => {
      ends.push(() => resolve(traceparent));
      atEnd.push(() => resolve('late'));
    });
  const worker = startWorker({ make });
  expect(await addTaken(worker, names('first', 4))).toBe(true);
  expect(await addTaken(worker, names('second', 4))).toBe(false);
  await until('one of them has begun', () => ends.length === 5);
  expect(await addTaken(worker, ['third'])).toBe(false);
  ends.splice(0, 2).forEach((end) => void end());
  // Four are due, and there is room for two.
  await until('those that waited go first', () => ends.length === 5);
  expect(await addTaken(worker, ['fourth'])).toBe(false);
  while (worker.settled.length < 10) {
    for (const end of ends.splice(0)) end();
    await wait(20);
  }
  await until('there is room again', () => worker.calls.take('charge', 5) !== undefined);
  const stopped = worker.stop();
  expect(worker.calls.take('charge', 1)).toBeUndefined();
  await stopped;
});

it('a lane that hangs has at most so many calls in flight, and delays no other lane', async () => {
  const charges: string[] = [];
  const worker = startWorker({
    make({ lane, traceparent }) {
      if (lane === 'refund') return Promise.resolve(traceparent);
      charges.push(traceparent);
      return hang();
    },
  });
  await add('charge', names('charge', 20), worker);
  await until('the lane is full', () => charges.length === 5);
  await add('refund', names('refund', 30), worker);
  await until('the other lane is done', () => worker.settled.length === 30);
  expect(charges).toHaveLength(5);
});

/** Makes 20 calls in a lane that starts slowly. @returns how many were in flight whenever one began */
async function inFlightOfSlowStart(callTakesMs: number, slowStartMs: number): Promise<number[]> {
  let inFlight = 0;
  const seen: number[] = [];
  const worker = startWorker({
    slowStartMs,
    async make() {
      inFlight += 1;
      seen.push(inFlight);
      await wait(callTakesMs);
      inFlight -= 1;
      return '';
    },
  });
  await add('charge', names('charge', 20), worker);
  await until('all are settled', () => worker.settled.length === 20);
  return seen;
}

it('a lane that starts slowly begins with one call, and has more in flight as they end in time', async () => {
  const seen = await inFlightOfSlowStart(100, 5_000);
  expect(seen[0]).toBe(1);
  expect(Math.max(...seen)).toBe(5);
});

it('a lane that starts slowly keeps to one call while calls take too long', async () => {
  expect(new Set(await inFlightOfSlowStart(20, 1))).toEqual(new Set([1]));
});

it('calls that become due shortly after others are claimed together', async () => {
  const claimed: number[] = [];
  const worker = startWorker({
    gatherMs: 200,
    async make() {
      claimed.push(performance.now());
      return '';
    },
  });
  await add('charge', names('charge', 15), worker);
  await until('all are settled', () => worker.settled.length === 15);
  // Five at once, each five as soon as the others may be gathered.
  const pauses = claimed.flatMap((at, index) => (index % 5 === 0 && index > 0 ? at - (claimed[index - 5] ?? 0) : []));
  expect(pauses).toHaveLength(2);
  for (const pause of pauses) expect(pause).toBeGreaterThan(190);
});

it('a call that failed is made again when its service says so', async () => {
  const attempts: number[] = [];
  const worker = startWorker({
    async make(call) {
      attempts.push(call.attempts);
      if (call.attempts < 3) throw new Error('no answer');
      return 'answered';
    },
    async settle(_, ended) {
      return ended.map((one) => ('error' in one ? { againInMs: 1 } : 'done'));
    },
  });
  await add('charge', ['call'], worker);
  await until('the call is done', async () => (await steps())[0]?.due_at === null);
  expect(attempts).toEqual([1, 2, 3]);
});

it('a call whose service has stored a due time keeps that', async () => {
  const worker = startWorker({
    async settle(tx, ended) {
      await tx.run(sql`update payment_steps set due_at = 'infinity' where traceparent = 'held'`);
      return ended.map(({ call }) => (call.traceparent === 'held' ? 'stored' : 'done'));
    },
  });
  await add('charge', ['held', 'other'], worker);
  await until('the other one is done', async () => (await steps()).some(({ due_at }) => due_at === null));
  await until('the held one is settled', async () =>
    (await steps()).some(({ due_at }) => Number(due_at) === Number.POSITIVE_INFINITY),
  );
  await worker.stop();
  expect(await steps()).toMatchObject([
    { traceparent: 'held', attempts: 1, due_at: Number.POSITIVE_INFINITY },
    { traceparent: 'other', attempts: 1, due_at: null },
  ]);
});

it('a call that takes too long is given up, and its signal says so', async () => {
  let isAborted = false;
  const worker = startWorker({
    callMs: 100,
    make(_, signal) {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return hang();
    },
  });
  await add('charge', ['call'], worker);
  await until('the call is settled', () => worker.settled.length === 1);
  expect(worker.settled).toEqual(['Error: There was no answer within 100 ms']);
  expect(isAborted).toBe(true);
});

it('an outcome and what its service writes are committed together, or not at all', async () => {
  let failures = 0;
  const worker = startWorker({
    async settle(tx, ended) {
      await tx.run(sql`update payment_steps set currency = 'EUR'`);
      if (failures < 2) {
        failures += 1;
        expect(await queryOnce(postgres.url, 'select currency from payment_steps')).toEqual([{ currency: 'USD' }]);
        throw new Error('the process has trouble');
      }
      return ended.map(() => 'done');
    },
  });
  await add('charge', ['call'], worker);
  await until('the call is done', async () => (await steps())[0]?.due_at === null);
  expect(await queryOnce(postgres.url, 'select currency, attempts from payment_steps')).toEqual([
    { currency: 'EUR', attempts: 1 },
  ]);
});

it('an outcome that cannot be stored does not keep the others from being stored', async () => {
  let isBad = true;
  atEnd.push(() => {
    isBad = false;
  });
  const worker = startWorker({
    async settle(_, ended) {
      const hasBad = ended.some((one) => 'outcome' in one && one.outcome === 'answer to bad');
      if (isBad && hasBad) throw new Error('not this one');
      return ended.map(() => 'done');
    },
  });
  await add('charge', ['good 1', 'bad', 'good 2', 'good 3'], worker);
  const isDone = async () => (await steps()).filter(({ due_at }) => due_at === null).length === 3;
  await until('the others are done', isDone);
});

it('whoever claims a call after the end of its lease settles it, and the outcome of the first worker is dropped', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const slow = startWorker({ perLane: 1, make: () => first.promise });
  await add('charge', ['call'], slow);
  await until('the call is in flight', async () => (await steps())[0]?.attempts === 1);
  const other = startWorker({ make: () => second.promise });
  // The lease of a worker that hangs, or is dead, ends.
  await queryOnce(postgres.url, 'update payment_steps set due_at = now()');
  await until('the other one has claimed it', async () => (await steps())[0]?.attempts === 2);
  first.resolve('of the first one');
  await slow.stop();
  expect(slow.settled).toEqual([]);
  second.resolve('of the other one');
  await other.stop();
  expect(other.settled).toEqual(['of the other one']);
  expect(await steps()).toEqual([{ traceparent: 'call', attempts: 2, due_at: null }]);
});

it('of two claims of a call by one worker, whose outcomes come together, the later counts', async () => {
  const [first, second, blocked] = [0, 1, 2].map(() => Promise.withResolvers<string>());
  if (!first || !second || !blocked) throw new Error('There is no promise.');
  const outcomes: string[] = [];
  let claims = 0;
  const worker = startWorker({
    async make({ traceparent }) {
      if (traceparent === 'other') return 'of the other call';
      claims += 1;
      return claims === 1 ? first.promise : second.promise;
    },
    async settle(_, ended) {
      outcomes.push(...ended.map((one) => ('outcome' in one ? one.outcome : String(one.error))));
      // Outcomes that come meanwhile share the next transaction.
      if (outcomes.length === 1) await blocked.promise;
      return ended.map(() => 'done');
    },
  });
  await add('charge', ['call'], worker);
  await until('it is in flight', () => claims === 1);
  await queryOnce(postgres.url, 'update payment_steps set due_at = now()');
  await until('it is claimed again', () => claims === 2);
  await add('charge', ['other'], worker);
  await until('another outcome is being stored', () => outcomes.length === 1);
  first.resolve('of the first claim');
  second.resolve('of the second claim');
  await first.promise;
  await second.promise;
  blocked.resolve('');
  await worker.stop();
  expect(outcomes).toEqual(['of the other call', 'of the second claim']);
});

it('several workers make each of many calls once, in lanes that are filled again as calls end', async () => {
  const made: string[] = [];
  const make = async ({ id }: Call) => {
    made.push(id);
    return '';
  };
  const workers = [startWorker({ make }), startWorker({ make }), startWorker({ make })];
  const ids = [
    ...(await add('charge', names('charge', 300), workers[0])),
    ...(await add('refund', names('refund', 300), workers[1])),
  ];
  await until('all are done', async () => (await steps()).every(({ due_at }) => due_at === null));
  expect(made.toSorted()).toEqual(ids.toSorted());
});

it('a full lane is filled again as soon as a call ends, not at the next look', async () => {
  const worker = startWorker({ perLane: 1 });
  const begun = performance.now();
  await add('charge', names('call', 30), worker);
  await until('all are settled', () => worker.settled.length === 30);
  // A look a second would take 30 s.
  expect(performance.now() - begun).toBeLessThan(15_000);
});

it('a worker that stops claims nothing more, and stores the outcome of its calls in flight', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const worker = startWorker({ make: () => promise });
  await add('charge', ['call'], worker);
  await until('the call is in flight', async () => (await steps())[0]?.attempts === 1);
  const stopped = worker.stop();
  await add('charge', ['later'], worker);
  resolve('in time');
  await stopped;
  expect(worker.settled).toEqual(['in time']);
  expect(await steps()).toMatchObject([{ due_at: null }, { traceparent: 'later', attempts: 0 }]);
});
