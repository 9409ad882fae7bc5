import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { openDatabase } from '@store/shared/database/database';
import { loop } from '@store/shared/values/loop';
import { testLog } from '../../../../tests/kit/observability/log.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { createOrderChanges } from '../../src/live/order-change-repository.ts';
import { createOrderStreams } from '../../src/live/order-streams.ts';
import { alice, bob } from '../_app.ts';
import { placing } from './_streams.ts';

const database = useDatabase('order');
const streams = database.open((url) => {
  const opened = openDatabase(PrismaClient, url);
  const { open, follow, end } = createOrderStreams({
    changes: createOrderChanges(opened),
    check: async () => new Set(),
  });
  const following = loop({ name: 'changes', everyMs: 50 }, follow).start(testLog('order'));
  return {
    open,
    async close() {
      end();
      await following.stop();
      await opened.close();
    },
  };
});

/** A connection whose client reads or does not read. If it does not, the operating system accepts nothing. */
function connection({ isRead }: { isRead: boolean }) {
  let received = '';
  let resume: () => void = () => undefined;
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _, done) {
      received += chunk;
      if (isRead) done();
      else resume = done;
    },
  });
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  res.assignSocket(socket as Socket);
  // Like the server.
  socket.on('drain', () => res.emit('drain'));
  res.writeHead(200).flushHeaders();
  return {
    res,
    events: () => [...received.matchAll(/^event: (.*)$/gm)].map(([, event]) => event),
    read() {
      isRead = true;
      resume();
    },
  };
}

async function open(accountId: string, options: { isRead: boolean }) {
  const expiresAt = Number.POSITIVE_INFINITY;
  const session = { id: crypto.randomUUID(), accountId, authenticatedAt: 0, expiresAt, isApiKey: false };
  const start = await streams.open(session, undefined, undefined);
  const opened = connection(options);
  start(opened.res);
  return opened;
}

const place = (count: number, accountId = alice) => queryOnce(database.url, placing(accountId, count));

describe('a client that reads slowly', () => {
  it('makes the process buffer at most half a MiB with other streams of its account, and continues when it reads', async () => {
    const unread = await Promise.all(Array.from({ length: 9 }, () => open(alice, { isRead: false })));
    const { events } = await open(alice, { isRead: true });
    // Too many changes at once become a reset.
    const expected = ['start'];
    for (const count of [100, 200, 5_000, 50]) {
      expected.push(...(count > 200 ? ['reset'] : Array(count).fill('order')));
      await place(count);
      await until(`there are ${expected.length} events`, () => events().length === expected.length);
    }
    expect(events()).toEqual(expected);
    const held = () => unread.map(({ res }) => res.writableLength).reduce((sum, bytes) => sum + bytes);
    expect(held()).toBeGreaterThan(0);
    expect(held()).toBeLessThan(512 * 1024);
    for (const { read } of unread) read();
    await until('all get reset', () => unread.every((stream) => stream.events().includes('reset')));
    await place(1);
    await until('all have the next change', () => unread.every((stream) => stream.events().at(-1) === 'order'));
    expect(held()).toBe(0);
  });

  it('gets the few changes that it lacks when it reads', async () => {
    const slow = await open(bob, { isRead: false });
    const reading = await open(bob, { isRead: true });
    for (let count = 1; count <= 3; count += 1) {
      await place(10, bob);
      await until('other streams have them', () => reading.events().length === 1 + 10 * count);
    }
    slow.read();
    await until('it has all changes', () => slow.events().length === 31);
    expect(slow.events()).not.toContain('reset');
  });
});
