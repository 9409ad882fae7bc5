import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, bob, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open((url) => testApp(url, { expects: /A dependency is unavailable/ }));
const customer = as(alice, order);
const other = as(bob, order);

const lock = 'select from orders where id = $1 for update';

/** Statements that wait for a lock. */
async function blocked(): Promise<number> {
  const sql = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  return (await queryOnce(database.url, sql)).length;
}

describe('while requests of an account wait for a lock on its own order', () => {
  it.each(['change', 'cancel', 'remove'] as const)(
    '%s: they hold at most four connections, and other accounts are served',
    async (call) => {
      const id = await customer.placed();
      const theirs = await other.placed();
      const { answers } = await whileHolding(database.url, lock, [id], async () => {
        // Sent in one tick, before any request of the other account.
        const answers = Promise.all(Array.from({ length: 40 }, async () => (await customer[call](id)).status));
        await until('four requests wait', async () => (await blocked()) >= 4);
        expect((await other.place()).status).toBe(201);
        expect((await other.cancel(theirs)).status).toBe(201);
        expect((await other.get(theirs)).status).toBe(200);
        expect(await blocked()).toBeLessThanOrEqual(4);
        return { answers };
      });
      // Requests that waited for too long got 503.
      for (const status of await answers) expect([200, 201, 204, 404, 503]).toContain(status);
      expect((await other.get(theirs)).body.status).toBe('CANCELLED');
    },
  );

  it('a request that waits for longer than 2 s is 503 with Retry-After, and changes nothing', async () => {
    const id = await customer.placed();
    const since = performance.now();
    await whileHolding(database.url, lock, [id], async () => {
      const answer = await customer.cancel(id).expect(503);
      expect(answer.headers['retry-after']).toBe('1');
    });
    // A statement may take 10 s.
    expect(performance.now() - since).toBeLessThan(8_000);
    expect((await customer.get(id)).body.status).toBe('PENDING');
  });
});
