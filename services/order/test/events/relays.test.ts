import { setTimeout as pause } from 'node:timers/promises';
import type { StoredEvent } from '@store/shared/messaging/events';
import pg from 'pg';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { type Random, seededRandom } from '../../../../tests/kit/random.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { fakePublisher, outboxOf, type Relay, relaysOn } from './_relay.ts';

const database = useDatabase('order', 'each');
const outbox = database.open(outboxOf);
const relays = database.open(relaysOn);
/** Closed after the relays. */
const proxy = database.open((url) => createTcpProxy(url));

/** A standby tries once a second. Only a hanging connection takes half a minute. */
const untilActive = (relay: Relay, timeoutMs = 20_000) => until('the relay is active', relay.isActive, { timeoutMs });

describe('a relay', () => {
  it('publishes alone, and another relay takes over when it stops', async () => {
    const publishers = [fakePublisher(), fakePublisher()] as const;
    const first = relays.start(publishers[0]);
    await untilActive(first);
    const second = relays.start(publishers[1]);
    await outbox.fill(2_500);
    await outbox.untilAllSent();
    await outbox.untilStandby();
    expect([first, second].map(({ wake }) => wake())).toEqual([true, false]);
    expect(publishers[1].batches).toEqual([]);
    await first.stop();
    await untilActive(second);
    await outbox.fill(10);
    await outbox.untilAllSent();
    expect(publishers[1].batches.flat()).toHaveLength(10);
  });

  it.each([
    ['whose connection ends is replaced within seconds', 'refuse', 20_000],
    ['that hangs with an open connection is replaced within about half a minute', 'silent', 60_000],
  ] as const)(
    '%s',
    async (_, mode, timeoutMs) => {
      await untilActive(relays.start(fakePublisher(), { url: proxy.url }));
      const second = relays.start(fakePublisher());
      await proxy.set(mode);
      await untilActive(second, timeoutMs);
    },
    90_000,
  );

  it('that the broker does not serve leaves the outbox to the other relay', async () => {
    const [broken, working] = [fakePublisher(), fakePublisher()];
    broken.accept = () => Promise.reject(new Error('not you'));
    const first = relays.start(broken);
    await untilActive(first);
    const second = relays.start(working);
    await outbox.fill(100);
    await outbox.untilAllSent();
    expect(second.isActive()).toBe(true);
    await outbox.untilStandby(); // the first relay has reconnected and stands by
    await outbox.fill(100);
    await outbox.untilAllSent();
    expect(first.lines.filter((line) => line.includes('interrupted'))).toHaveLength(1);
  });

  it('marks events that the broker acknowledges in one lane, even if it refuses another lane', async () => {
    const broker = createBroker(seededRandom(1));
    const refusing = { publish: () => Promise.reject(new Error('not these')), close: async () => undefined };
    await outbox.fill(2_500, { keys: 100 });
    relays.start([broker.publisher('good'), refusing]);
    await until('some events are marked', async () => (await outbox.sent()) > 500);
    expect(broker.events.length).toBeGreaterThanOrEqual(await outbox.sent());
  });

  it('never publishes together with relays of a release that shared the outbox', async () => {
    const old = new pg.Client({ connectionString: database.url });
    old.on('error', () => undefined); // dropping the database ends the connection
    await old.connect();
    const tryLock = async () => (await old.query('select pg_try_advisory_lock_shared(7310002) as held')).rows[0].held;
    expect(await tryLock()).toBe(true);
    const publisher = fakePublisher();
    const relay = relays.start(publisher);
    await outbox.fill(100);
    await outbox.untilStandby();
    expect(publisher.batches).toEqual([]);
    expect(relay.wake()).toBe(false);
    await old.query('select pg_advisory_unlock_shared(7310002)');
    await outbox.untilAllSent();
    expect(await tryLock()).toBe(false);
    await old.end();
  });
});

it.each([
  [1, 'keep'],
  [2, 'keep'],
  [1, 'lose'],
  [2, 'lose'],
])(
  'relays that join and leave (seed %i) and %s their connections publish the events of a key in order',
  async (seed, way) => {
    const broker = createBroker(seededRandom(seed));
    await joinAndLeave(seededRandom(seed), broker, async () => way === 'lose' && outbox.cutRelays(1));
    const seen = new Set<string>();
    const firsts = broker.events.filter(({ id }) => !seen.has(id) && seen.add(id));
    const idsByKey = [...Map.groupBy(firsts, ({ key }) => key)].map(
      ([key, all]) => [key, all.map(({ id }) => id)] as const,
    );
    expect(new Map(idsByKey)).toEqual(await outbox.idsByKey());
    // Only a relay whose connection is cut may publish an event again, or at the same time as another relay.
    if (way === 'keep') expect([broker.together, broker.events.length]).toEqual([[], firsts.length]);
  },
);

/** Starts and stops relays for some seconds, at most four at a time, while events are written. */
async function joinAndLeave(random: Random, broker: Broker, harm: () => Promise<unknown>): Promise<void> {
  const start = (name: string) => relays.start(Array.from({ length: 3 }, () => broker.publisher(name)));
  const running = [start('relay 0')];
  let isOver = false;
  const written = (async () => {
    while (!isOver) {
      // Sometimes more than a batch.
      await outbox.fill(random(30) === 0 ? 2_500 : 1 + random(150), { keys: 40 });
      await outbox.pool.query("select pg_notify('outbox', '')");
      await pause(random(40));
    }
  })();
  const published = () => new Set(broker.events.map(({ relay }) => relay)).size;
  // On a busy machine few relays take over, because each needs time to notice that the previous relay stopped.
  for (let step = 1; step <= 24 || (published() <= 2 && step <= 240); step += 1) {
    await pause(random(400));
    if (running.length === 1 || (running.length < 4 && random(2) === 0)) {
      running.push(start(`relay ${step}`));
    } else await running.splice(random(running.length), 1)[0]?.stop();
    if (random(2) === 0) await harm();
  }
  isOver = true;
  await written;
  await outbox.untilAllSent();
  expect(published()).toBeGreaterThan(2);
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
