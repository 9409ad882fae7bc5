import { setTimeout as wait } from 'node:timers/promises';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../../tests/kit/postgres/open-database.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { type Statements, sql } from './sql.ts';

const server = useDatabase('payment');

const query = ({ run }: Statements) => run(sql`select 1`);

async function waitInTransaction(): Promise<void> {
  const { inTransaction, close } = openAnyDatabase(server.url, 3);
  await inTransaction(async (tx) => {
    await query(tx);
    await wait(12_500);
    await query(tx);
  });
  await close();
}

/** Waits in parallel with the other test. */
let patient: Promise<void>;
beforeAll(() => {
  patient = waitInTransaction();
  patient.catch(() => undefined);
});

it('a query, transaction, list or check without an answer fails, and its connection is not used again', async () => {
  const proxy = await createTcpProxy(server.url);
  const database = openAnyDatabase(proxy.url, 3);
  const works = [
    () => query(database),
    () => database.prisma.payment.count(),
    () => database.inTransaction(query),
    () => query(database.lists),
    () => query(database.checks),
  ];
  await Promise.all(works.map((work) => work()));
  await proxy.set('silent');
  for (const { status } of await Promise.allSettled(works.map((work) => work()))) expect(status).toBe('rejected');
  await proxy.set('pass');
  for (let times = 0; times < 10; times += 1) await Promise.all(works.map((work) => work()));
  await database.close();
  await proxy.close();
}, 60_000);

it('a connection that is idle inside a transaction is not closed', () => patient, 30_000);
