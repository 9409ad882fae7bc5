import { testLog } from '../../../tests/kit/observability/log.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { tea, testApp } from './_app.ts';

const database = useDatabase('product');
const product = database.open((url) => testApp(url, { log: testLog('product', /A dependency is unavailable/) }));

async function blocked(): Promise<number> {
  const sql = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  return (await queryOnce(database.url, sql)).length;
}

it('changes of one product that wait for each other hold at most four connections', async () => {
  const { body } = await product.post(tea).expect(201);
  const path = `/products/${body.id}`;
  const { answers } = await whileHolding(database.url, 'select from products for update', [], async () => {
    // Sent in one tick, before the reads.
    const answers = Promise.all(Array.from({ length: 40 }, async () => (await product.put(path, tea)).status));
    await until('four wait', async () => (await blocked()) >= 4);
    await product.get(path).expect(200);
    await product.post(tea).expect(201);
    expect(await blocked()).toBeLessThanOrEqual(4);
    return { answers };
  });
  for (const status of await answers) expect([200, 503]).toContain(status);
});
