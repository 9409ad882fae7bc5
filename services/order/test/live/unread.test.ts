import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { openDatabase } from '@store/shared/database/database';
import { testLog } from '../../../../tests/kit/observability/log.ts';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { createOrderChanges } from '../../src/live/order-change-repository.ts';
import { createOrderStreams, type OrderStreams } from '../../src/live/order-streams.ts';
import { alice, bob } from '../_app.ts';

let testDatabase: TestDatabase;
let database: ReturnType<typeof openDatabase<DB>>;
let streams: OrderStreams;

beforeAll(async () => {
  testDatabase = await createTestDatabase('order');
  database = openDatabase<DB>(testDatabase.url);
  streams = createOrderStreams({
    changes: createOrderChanges(database),
    check: async () => new Set(),
    log: testLog('order'),
  });
});

afterAll(async () => {
  streams.end();
  await database.close();
  await testDatabase.drop();
});

/** A connection whose client reads, or does not: then the operating system takes nothing of what is sent. */
function connection({ isRead }: { isRead: boolean }) {
  let received = '';
  let goOn: () => void = () => undefined;
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _, done) {
      received += chunk;
      if (isRead) done();
      else goOn = done;
    },
  });
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  res.assignSocket(socket as Socket);
  // As the server does it.
  socket.on('drain', () => res.emit('drain'));
  res.writeHead(200).flushHeaders();
  return {
    res,
    received: () => received,
    read() {
      isRead = true;
      goOn();
    },
  };
}

async function open(accountId: string, options: { isRead: boolean }) {
  const start = await streams.open(
    { id: crypto.randomUUID(), accountId, authenticatedAt: 0, expiresAt: Number.POSITIVE_INFINITY },
    undefined,
    undefined,
  );
  const opened = connection(options);
  start(opened.res);
  return opened;
}

const place = (count: number, accountId = alice) =>
  queryOnce(
    testDatabase.url,
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     select gen_random_uuid(), '${accountId}', 'PENDING', 1, 'USD', now(), now() from generate_series(1, ${count})`,
  );

const eventsIn = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, event]) => event);

it('the streams of an account that nobody reads hold half a MiB at most, and go on when they are read', async () => {
  const unread = await Promise.all(Array.from({ length: 9 }, () => open(alice, { isRead: false })));
  const reading = await open(alice, { isRead: true });
  const events = () => eventsIn(reading.received());
  for (const [count, known] of [
    [100, 101],
    [200, 301],
    [5_000, 302],
    [50, 352],
  ]) {
    await place(count ?? 0);
    await until(`there are ${known} events`, () => events().length === known);
  }
  const held = () => unread.map(({ res }) => res.writableLength).reduce((sum, bytes) => sum + bytes);
  expect(held()).toBeGreaterThan(0);
  expect(held()).toBeLessThan(512 * 1024);
  // Instead of too much at once, it is told that there is something to read.
  expect(events()[301]).toBe('reset');

  for (const { read } of unread) read();
  await until('they know what they lack', () => unread.every(({ received }) => received().includes('event: reset')));
  await place(1);
  await until('all have the next change', () =>
    unread.every(({ received }) => eventsIn(received()).at(-1) === 'order'),
  );
  expect(held()).toBe(0);
});

it('a client that is behind by a few changes gets them when it reads', async () => {
  const slow = await open(bob, { isRead: false });
  const reading = await open(bob, { isRead: true });
  for (let count = 1; count <= 3; count += 1) {
    await place(10, bob);
    await until('others have them', () => eventsIn(reading.received()).length === 1 + 10 * count);
  }
  slow.read();
  await until('it has all', () => eventsIn(slow.received()).length === 31);
  expect(slow.received()).not.toContain('reset');
});
