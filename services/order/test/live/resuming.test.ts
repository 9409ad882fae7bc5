import { join } from 'node:path';
import { migrate } from '@store/shared/database/migrate';
import { dayMs } from '@store/shared/values/time';
import { execa } from 'execa';
import { useFolder } from '../../../../tests/kit/folder.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { type Postgres, startPostgres } from '../../../../tests/kit/postgres/server.ts';
import { commit, openTransaction } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { freePort } from '../../../../tools/free-port.ts';
import { alice, bob } from '../_app.ts';
import { beganStream, headersOf, openStream, placing, startReplica } from './_streams.ts';

const database = useDatabase('order');
const replica = database.open(startReplica);
const folder = useFolder();
const place = (count: number, accountId = alice) => queryOnce(database.url, placing(accountId, count));
/** A customer without orders, because changes committed during transactions of other tests are repeated. */
const newcomer = () => ({ headers: headersOf(crypto.randomUUID()) });

/** The parts of an id that the replica returns now. */
async function idNow() {
  const stream = await beganStream(replica.url, { headers: headersOf(bob) });
  stream.break();
  const [at = '', incarnation = '', xmin = ''] = stream.lastEventId().split('-');
  return { at: Number(at), incarnation, xmin: Number(xmin) };
}
type Id = Awaited<ReturnType<typeof idNow>>;

describe('a Last-Event-ID', () => {
  beforeAll(() => place(300));

  it.each<[string, (now: Id) => string]>([
    ['empty', () => ''],
    ['no cursor', () => 'x'],
    ['53 KB in the form of an earlier release', ({ at }) => `${at}-1:100:${'1,'.repeat(26_500)}1-1:100:-0`],
    ['of another database', ({ at, xmin }) => `${at}-0123456789abcdef-${xmin}`],
    ['eight days old', ({ at, incarnation, xmin }) => `${at - 8 * dayMs}-${incarnation}-${xmin}`],
    ['forged, of the past', ({ at, incarnation }) => `${at}-${incarnation}-1`],
    ['no transaction id', ({ at, incarnation }) => `${at}-${incarnation}-${'9'.repeat(19)}`],
    ['of transaction 0', ({ at, incarnation }) => `${at}-${incarnation}-0`],
  ])('that is %s is answered with reset, and never sent back', async (_, lastEventId) => {
    const stream = await beganStream(replica.url, { lastEventId: lastEventId(await idNow()) });
    expect(stream.names()).toEqual(['reset']);
    await place(1);
    await until('the next change has come', () => stream.names().at(-1) === 'order');
    for (const { id } of stream.events) expect(id).toMatch(/^.{1,60}$/);
    stream.break();
  });

  it.each<[string, (now: Id) => string]>([
    ['six days old', ({ at, incarnation, xmin }) => `${at - 6 * dayMs}-${incarnation}-${xmin}`],
    ['of a previous release', ({ at, incarnation, xmin }) => `${at}-${incarnation}-${xmin}:${xmin + 9}:${xmin + 7}`],
    ['forged, of the future', ({ at, incarnation }) => `${at}-${incarnation}-${'9'.repeat(18)}`],
  ])('that is %s continues the stream', async (_, lastEventId) => {
    const { headers } = newcomer();
    const stream = await openStream(replica.url, { headers, lastEventId: lastEventId(await idNow()) });
    await until('the next change has come', async () => {
      await place(1, headers['id-account']);
      return stream.events.length > 0;
    });
    expect(stream.names()).not.toContain('reset');
    stream.break();
  });

  it('is short even if many transactions are in progress, and loses nothing', async () => {
    const open = await Promise.all(Array.from({ length: 60 }, () => openTransaction(database.url)));
    const { headers } = newcomer();
    const stream = await beganStream(replica.url, { headers });
    await place(1, headers['id-account']);
    await until('a change has come', () => stream.statuses().length === 1);
    stream.break();
    for (const { id } of stream.events) expect(id).toMatch(/^.{1,60}$/);
    await open[20]?.query(placing(headers['id-account']));
    await commit(...open);
    const back = await openStream(replica.url, { headers, lastEventId: stream.lastEventId() });
    // The first change is repeated.
    await until('it has the changes committed since', () => back.statuses().length === 2);
    expect(back.statuses()[0]).toBe(stream.statuses()[0]);
    back.break();
  });

  it('that lacks up to 200 changes gets them, and reset if it lacks more', async () => {
    const account = newcomer();
    const placeOwn = (count: number) => place(count, account.headers['id-account']);
    const first = await beganStream(replica.url, account);
    const back = () => beganStream(replica.url, { ...account, lastEventId: first.events[0]?.id ?? '' });
    await placeOwn(200);
    const some = await back();
    await until('it has all changes', () => new Set(some.statuses()).size === 200);
    await placeOwn(1);
    const many = await back();
    expect(many.names()).toEqual(['reset']);
    await placeOwn(1);
    await until('the first stream has the last change', () => first.statuses().length === 202);
    await until('both continue', () =>
      [some, many].every((stream) => stream.statuses().at(-1) === first.statuses().at(-1)),
    );
    for (const stream of [first, some, many]) stream.break();
  });
});

it('after a failover to a copy that lacks changes, clients get reset, even after many new changes', async () => {
  const port = await freePort();
  const log = () => undefined;
  /** Starts the server with the named data, always at the same address. */
  async function start(name: string): Promise<Postgres> {
    const [dataDir, logDir] = [join(folder, name), join(folder, `log-${name}`)];
    const server = await startPostgres({ dataDir, logDir, port, log, settings: { fsync: 'off' } });
    await server.createDatabase('order');
    return server;
  }
  let server = await start('first');
  const url = server.url('order');
  /** Places each order in a separate transaction. */
  async function placeEach(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await queryOnce(url, placing(alice));
  }
  await migrate(url, new URL('../../prisma/migrations/', import.meta.url));
  await placeEach(1);
  await server.stop();
  for (const suffix of ['', '-passwords.json'])
    await execa('cp', ['-a', join(folder, `first${suffix}`), join(folder, `second${suffix}`)]);

  server = await start('first');
  const replica = await startReplica(url);
  try {
    const [gone, here] = [await beganStream(replica.url), await beganStream(replica.url)];
    await placeEach(10);
    await until(
      'both have the changes that the copy lacks',
      () => gone.statuses().length === 10 && here.statuses().length === 10,
    );
    gone.break();
    await server.stop();

    server = await start('second');
    // More than were lost, so that new changes reuse the transaction ids of changes that the client has seen.
    await placeEach(20);
    const back = await beganStream(replica.url, { lastEventId: gone.lastEventId() });
    expect(back.names()[0]).toBe('reset');
    await until('the connected client gets reset', () => here.names().includes('reset'));
    await placeEach(1);
    await until('both continue', () => [back, here].every((stream) => stream.names().at(-1) === 'order'));
  } finally {
    await replica.close();
    await server.stop();
  }
});
