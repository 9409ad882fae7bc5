import { setTimeout as pause } from 'node:timers/promises';
import type { StoredEvent } from '@store/shared/messaging/events';
import pg from 'pg';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { type Random, seededRandom } from '../../../../tests/kit/random.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createFixture, type Fixture, fakePublisher } from './_relay.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

const untilShared = (...expected: number[]) =>
  until(`the relays hold ${expected} shares`, async () => String(await fixture.outbox.shares()) === String(expected));
const untilAllSent = () => until('all events are marked as sent', async () => (await fixture.outbox.unsent()) === 0);

test('relays hold the same number of shares, one more or one less', async () => {
  const first = fixture.startRelay(fakePublisher());
  await untilShared(8);
  expect(first.wake()).toBe(true);
  const second = fixture.startRelay(fakePublisher());
  await untilShared(4, 4);
  expect([first, second].map(({ wake }) => wake())).toEqual([false, false]);
  fixture.startRelay(fakePublisher());
  await untilShared(3, 3, 2);
  await first.stop();
  await untilShared(4, 4);
  await second.stop();
  await untilShared(8);
});

test('relay keeps its shares while the broker has not acknowledged what it was sent', async () => {
  const [first, second] = [fakePublisher(), fakePublisher()];
  const { promise: acknowledged, resolve: acknowledge } = deferred();
  first.accept = () => acknowledged;
  await fixture.outbox.fill(2_500);
  fixture.startRelay(first);
  await until('a batch is in flight', () => first.batches.length === 1);
  fixture.startRelay(second);
  await pause(2_500); // the relay would give shares back within a second
  expect(await fixture.outbox.shares()).toEqual([8]);
  acknowledge();
  await untilAllSent();
  await untilShared(4, 4);
  expect(second.batches.flat().length).toBeGreaterThan(0);
  expect(new Set([...first.batches, ...second.batches].flat()).size).toBe(2_500);
  expect([...first.batches, ...second.batches].flat()).toHaveLength(2_500);
});

test('shares of a relay whose connection ends are taken over within two seconds', async () => {
  const proxy = await createTcpProxy(fixture.databaseUrl);
  fixture.closeLast(proxy.close);
  const url = new URL(fixture.databaseUrl);
  url.host = new URL(proxy.url).host;
  fixture.startRelay(fakePublisher(), { databaseUrl: url.href });
  await untilShared(8);
  fixture.startRelay(fakePublisher());
  await untilShared(4, 4);
  await proxy.set('refuse');
  const endedAt = Date.now();
  await untilShared(8);
  expect(Date.now() - endedAt).toBeLessThan(2_000);
});

test('a relay that the broker does not serve leaves the outbox to the other one', async () => {
  const [broken, working] = [fakePublisher(), fakePublisher()];
  fixture.startRelay(working);
  await untilShared(8);
  broken.accept = () => Promise.reject(new Error('not you'));
  const { lines } = fixture.startRelay(broken);
  await untilShared(4, 4);
  await fixture.outbox.fill(100);
  await until('it has failed', () => lines.includes('The relay was interrupted and is retried'));
  await untilAllSent();
  await pause(3_000); // it has connected again
  expect(await fixture.outbox.shares()).toEqual([8]);
  await fixture.outbox.fill(100);
  await untilAllSent();
  expect(lines.filter((line) => line.includes('interrupted'))).toHaveLength(1);
});

test('a relay of the release before shares and these never publish together', async () => {
  const old = new pg.Client({ connectionString: fixture.databaseUrl });
  old.on('error', () => undefined); // it lives until the database is dropped
  await old.connect();
  fixture.closeLast(() => old.end());
  const tryLock = async () => (await old.query('select pg_try_advisory_lock(7310002) as held')).rows[0].held;
  expect(await tryLock()).toBe(true);
  const publishers = [fakePublisher(), fakePublisher()] as const;
  const first = fixture.startRelay(publishers[0]);
  fixture.startRelay(publishers[1]);
  await fixture.outbox.fill(100);
  await pause(2_500);
  expect(publishers.flatMap(({ batches }) => batches)).toEqual([]);
  expect(first.wake()).toBe(false);

  await old.query('select pg_advisory_unlock(7310002)');
  await untilAllSent();
  await untilShared(4, 4);
  expect(await tryLock()).toBe(false);
  await first.stop();
  await untilShared(8);
  expect(await tryLock()).toBe(false);
});

describe.each([1, 2, 3])('with seed %d', (seed) => {
  test('relays that join and leave publish each event once, and those of a key in order', async () => {
    const broker = createBroker(seededRandom(seed));
    await joinAndLeave(seededRandom(seed), broker, async () => undefined);
    expect(broker.together).toEqual([]);
    expect(idsByKey(broker.events)).toEqual(await fixture.outbox.idsByKey());
  });

  test('relays that also lose connections publish each event, and those of a key in order', async () => {
    const broker = createBroker(seededRandom(seed));
    await joinAndLeave(seededRandom(seed), broker, () => fixture.outbox.cutRelays(1));
    const seen = new Set<string>();
    const firstOfEach = broker.events.filter(({ id }) => !seen.has(id) && seen.add(id));
    expect(idsByKey(firstOfEach)).toEqual(await fixture.outbox.idsByKey());
  });
});

/** Starts and stops relays for some seconds, at most four at a time, while events are written. */
async function joinAndLeave(random: Random, broker: Broker, harm: () => Promise<unknown>): Promise<void> {
  const relays = [fixture.startRelay(broker.publisher('relay 0'))];
  let isOver = false;
  const written = (async () => {
    while (!isOver) {
      // Now and then more than a batch.
      await fixture.outbox.fill(random(30) === 0 ? 2_500 : 1 + random(150), { keys: 40 });
      await fixture.outbox.pool.query("select pg_notify('outbox', '')");
      await pause(random(40));
    }
  })();
  for (let step = 1; step <= 24; step += 1) {
    await pause(random(600));
    if (relays.length === 1 || (relays.length < 4 && random(2) === 0)) {
      relays.push(fixture.startRelay(broker.publisher(`relay ${step}`)));
    } else await relays.splice(random(relays.length), 1)[0]?.stop();
    if (random(2) === 0) await harm();
  }
  isOver = true;
  await written;
  await untilAllSent();
  expect(new Set(broker.events.map(({ relay }) => relay)).size).toBeGreaterThan(4);
}

type Broker = ReturnType<typeof createBroker>;

/** Acknowledges each batch after some milliseconds. */
function createBroker(random: Random) {
  const publishing = new Map<string, string>();
  const broker = {
    /** In the order in which they were acknowledged. */
    events: [] as { id: string; key: string; relay: string }[],
    /** Keys of which two relays published events at the same time. */
    together: [] as string[],
    publisher: (relay: string) => ({
      async publish(_topic: string, events: StoredEvent[]) {
        const keys = new Set(events.map(({ key }) => key));
        broker.together.push(...[...keys].filter((key) => publishing.has(key)));
        for (const key of keys) publishing.set(key, relay);
        await pause(random(40));
        broker.events.push(...events.map(({ id, key }) => ({ id, key, relay })));
        for (const key of keys) publishing.delete(key);
      },
      close: async () => undefined,
    }),
  };
  return broker;
}

function idsByKey(events: { id: string; key: string }[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, key } of events) ids.set(key, [...(ids.get(key) ?? []), id]);
  return ids;
}
