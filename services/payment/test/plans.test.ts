import { createClient } from '@store/shared/database/connection';
import { createCallRepository } from '@store/shared/outgoing/call-repository';
import { Decimal } from '@store/shared/values/money';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { recordedStatements } from '../../../tests/kit/postgres/recorded-statement.ts';
import { paymentsOn } from '../src/payment-repository.ts';
import { stepsOn, stepTable } from '../src/step-repository.ts';

const database = useDatabase('payment');
const orderId = '00000000-0000-4000-8000-000000000001';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

beforeAll(async () => {
  // As in the first minute of a store: nobody has counted the rows yet.
  for (const table of ['payments', 'payment_steps'])
    await queryOnce(database.url, `alter table ${table} set (autovacuum_enabled = false)`);
  await queryOnce(
    database.url,
    `insert into payments (order_id, customer_id, status, amount, currency, created_at, updated_at)
     select gen_random_uuid(), gen_random_uuid(), 'CHARGING', 5, 'USD', now(), now() from generate_series(1, 500)`,
  );
  await queryOnce(
    database.url,
    `insert into payment_steps (id, lane, order_id, customer_id, amount, currency, traceparent)
     select gen_random_uuid(), 'charge', order_id, customer_id, amount, currency, '${traceparent}' from payments`,
  );
});

it('the statements of a charge look rows up by their keys, in tables that have just begun to grow', async () => {
  const client = createClient({ connectionString: database.url });
  database.closeLater({ close: () => client.end() });
  await client.connect();
  const statements = await recordedStatements(({ inTransaction }) =>
    inTransaction(async (tx) => {
      const amount = { amount: new Decimal(5), currency: 'USD' };
      paymentsOn(tx).insertCharging([{ orderId, customerId: orderId, amount, taxes: undefined }], new Date());
      await stepsOn(tx).addCharges([{ orderId, hasToken: false, traceparent }]);
      const calls = createCallRepository(tx, stepTable);
      await calls.lockOwn(tx, [{ id: orderId, lane: 'charge', attempts: 1 }]);
      await paymentsOn(tx).lock([orderId]);
      paymentsOn(tx).update([{ orderId, status: 'PAID', paymentId: orderId }], new Date());
      calls.release(tx, [{ id: orderId, inMs: undefined }]);
    }),
  );
  expect(statements).toHaveLength(6);
  // As text without values: the plan that a connection keeps.
  const plans = await Promise.all(statements.map(({ text }) => client.query(`explain (generic_plan) ${text}`)));
  expect(plans.map(({ rows }) => JSON.stringify(rows)).filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
});
