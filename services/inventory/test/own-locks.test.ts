import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { testInventory } from './_inventory.ts';

const database = useDatabase('inventory');
const inventory = database.open((url) =>
  testInventory(url, { log: testLog('inventory', /A dependency is unavailable/) }),
);

async function blocked(): Promise<number> {
  const sql = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  return (await queryOnce(database.url, sql)).length;
}

it('changes of one stock that wait for each other hold less than half of the connections', async () => {
  const put = (productId: string) => request(inventory.app).put(`/stock/${productId}`).send({ available: 7 });
  const tea = await inventory.setStock(7);
  const { answers } = await whileHolding(database.url, 'select from stock for update', [], async () => {
    // Sent in one tick, before the change of another product. The service has 25 connections in this test.
    const answers = Promise.all(Array.from({ length: 40 }, async () => (await put(tea)).status));
    await until('eleven wait', async () => (await blocked()) >= 11);
    expect((await request(inventory.app).get(`/stock/${tea}`)).status).toBe(200);
    expect(await blocked()).toBe(11);
    return { answers };
  });
  for (const status of await answers) expect([200, 503]).toContain(status);
  expect((await put(randomUUID())).status).toBe(201);
});
