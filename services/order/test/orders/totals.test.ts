import { readFile } from 'node:fs/promises';
import { orderStatuses } from '@store/shared/contracts/order';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../../tests/kit/postgres/transaction.ts';
import { addUpOrderCounts } from '../../src/lists/order-count-repository.ts';
import { alice, as, bob, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open(testApp);
beforeEach(() => order.empty());

const addUp = async () => {
  while (await addUpOrderCounts(order.database));
};

const query = (sql: string) => queryOnce<Record<string, number>>(database.url, sql);
const seed = (count: number, accountId = alice) =>
  query(
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     select gen_random_uuid(), '${accountId}', (array['PENDING', 'CONFIRMED', 'CANCELLED'])[1 + n % 3], 1, 'USD', now(),
       now() from generate_series(1, ${count}) as n`,
  );

const customer = as(alice, order);
/** The totals that an account is shown: all orders, and the orders of each status. */
function totals(accountId = alice): Promise<number[]> {
  const queries = ['?size=1', ...orderStatuses.map((status) => `?size=1&status=${status}`)];
  return Promise.all(queries.map(async (one) => (await as(accountId, order).list(one)).body.page.totalElements));
}

async function expected(accountId = alice): Promise<number[]> {
  const byStatus = orderStatuses.map((status) => `count(*) filter (where status = '${status}')::int as ${status}`);
  const shown = `from orders where account_id = '${accountId}' and deleted_at is null`;
  return Object.values((await query(`select count(*)::int as all, ${byStatus} ${shown}`))[0] ?? {});
}

async function expectTruth() {
  expect([await totals(), await totals(bob)]).toEqual([await expected(), await expected(bob)]);
}

/** The migration that counts orders from before the triggers. */
const migration = new URL(
  '../../prisma/migrations/20261122224501_order_counts_backfill/migration.sql',
  import.meta.url,
);
const backfill = async () => query(await readFile(migration, 'utf8'));

describe('the total of GET /orders', () => {
  it("counts the account's own orders of each status", async () => {
    for (const [index, status] of orderStatuses.entries()) {
      await query(
        `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
         select gen_random_uuid(), '${alice}', '${status}', 1, 'USD', now(), now() from generate_series(0, ${index})`,
      );
    }
    const counts = orderStatuses.map((_, index) => index + 1);
    expect(await totals()).toEqual([counts.reduce((all, one) => all + one), ...counts]);
  });

  it('is exact beyond 10,000 orders, whether or not the changes have been added up', async () => {
    await seed(12_345);
    await seed(3, bob);
    expect(await totals()).toEqual([12_345, 4115, 4115, 4115]);
    await addUp();
    expect(await totals()).toEqual([12_345, 4115, 4115, 4115]);
    expect((await customer.list('?size=100')).body.page).toMatchObject({ totalElements: 12_345, totalPages: 101 });
    await expectTruth();
  });

  it.each([
    ['confirmed', `update orders set status = 'CONFIRMED', paid_at = now() where status = 'PENDING'`],
    ['cancelled', `update orders set status = 'CANCELLED', cancelled_at = now() where status <> 'CANCELLED'`],
    ['shipped', `update orders set shipped_at = now()`],
    ['deleted', 'update orders set deleted_at = now()'],
    [
      'cancelled and deleted at once',
      `update orders set status = 'CANCELLED', deleted_at = now() where status = 'PENDING'`,
    ],
    ['shown again', 'update orders set deleted_at = null'],
    ['removed', 'delete from orders'],
  ])('is exact after orders were %s', async (_name, statement) => {
    await seed(30);
    await seed(9, bob);
    await query(`update orders set deleted_at = now() where right(id::text, 1) < '3'`);
    await addUp();
    await query(statement);
    await expectTruth();
    await addUp();
    await expectTruth();
    await query('truncate orders cascade');
    await expectTruth();
  });

  it('is of the same moment as the list while orders are placed, cancelled, deleted and added up', async () => {
    const work = Array.from({ length: 30 }, async (_, index) => {
      const id = await customer.placed();
      if (index % 3 === 0) await customer.cancel(id).expect(201);
      if (index % 3 === 1) await customer.remove(id).expect(204);
      await addUp();
    });
    let ended = false;
    const all = Promise.all(work).then(() => {
      ended = true;
    });
    for (let n = 0; !ended && n < 200; n += 1) {
      for (const query of ['?size=100', '?size=100&status=PENDING', '?size=100&status=CANCELLED']) {
        const { content, page } = (await customer.list(query)).body;
        expect(page.totalElements).toBe(content.length);
      }
    }
    await all;
    expect(await totals()).toEqual([20, 10, 0, 10]);
  });

  it('counts orders of the previous release once, even during writes', async () => {
    await seed(100);
    await seed(50, bob);
    // As if the orders were older than the triggers.
    await query('truncate order_counts, order_count_changes');
    await seed(7);
    await query(`update orders set status = 'CANCELLED' where account_id = '${bob}'`);
    await addUp();
    await whileHolding(database.url, 'update orders set deleted_at = now() where account_id = $1', [bob], async () => {
      await backfill();
      expect(await totals(bob)).toEqual([50, 0, 0, 50]);
    });
    await expectTruth();
    await backfill();
    await expectTruth();
  });
});
