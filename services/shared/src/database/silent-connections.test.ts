import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { openDatabase } from './database.ts';

const server = useDatabase('account');

const query = (on: Kysely<never>) => sql.raw('select 1').execute(on);

async function waitInTransaction(): Promise<void> {
  const { kysely, close } = openDatabase<never>(server.url, 3);
  await kysely.transaction().execute(async (tx) => {
    await query(tx);
    await wait(12_500);
    await query(tx);
  });
  await close();
}

/** Waits while the other test does. */
let patient: Promise<void>;
beforeAll(() => {
  patient = waitInTransaction();
  patient.catch(() => undefined);
});

it('a query, a transaction, a list or a check without an answer fails, and its connection is not used again', async () => {
  const proxy = await createTcpProxy(server.url);
  const { kysely, lists, checks, close } = openDatabase<never>(proxy.url, 3);
  const works = [
    () => query(kysely),
    () => kysely.transaction().execute(query),
    () => query(lists.kysely),
    () => checks.run(sql.raw('select 1').compile(kysely)),
  ];
  await Promise.all(works.map((work) => work()));
  await proxy.set('silent');
  for (const { status } of await Promise.allSettled(works.map((work) => work()))) expect(status).toBe('rejected');
  await proxy.set('pass');
  for (let times = 0; times < 10; times += 1) await Promise.all(works.map((work) => work()));
  await close();
  await proxy.close();
}, 60_000);

it('a connection that waits inside a transaction is left alone', () => patient, 30_000);
