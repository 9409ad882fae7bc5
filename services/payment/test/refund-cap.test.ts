import { currencies, minorUnit } from '@store/shared/values/currencies';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { testPayments } from './_payments.ts';
import { countsOf, orders, paidOrder, refund, usd } from './_refunds.ts';

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { orders }));
const replica = database.open((url) => testPayments(url, { orders }));

it('never refunds more than was captured, with 50 clients at two replicas at once', async () => {
  const orderId = await paidOrder(payment);
  /** As clients do, repeats a request that the service has no time for. */
  async function insist(client: number): Promise<Awaited<ReturnType<typeof refund>>> {
    const key = { 'idempotency-key': `client-${client}` };
    const reply = await refund(client % 2 ? payment : replica, orderId, { amount: usd(1.5) }, key);
    return reply.status === 503 ? insist(client) : reply;
  }
  const replies = await Promise.all(Array.from({ length: 50 }, (_, client) => insist(client)));
  const statuses = replies.map(({ status, body }) => `${status} ${body.type ?? ''}`).sort();
  const refused = '409 urn:problem:store:refund-exceeds-payment';
  expect(statuses).toEqual([...Array(6).fill('201 '), ...Array(44).fill(refused)]);
  expect(await countsOf(payment, orderId)).toEqual({ captured: 999, reserved: 900, disputed: 0 });
  expect(await payment.prisma.refund.count({ where: { orderId } })).toBe(6);
  expect(await payment.prisma.paymentStep.count({ where: { orderId, lane: 'refund' } })).toBe(6);
});

it('is a limit that the database keeps, whatever code writes', async () => {
  const orderId = await paidOrder(payment);
  const set = (changes: string) =>
    queryOnce(database.url, `update payments set ${changes} where order_id = '${orderId}'`);
  for (const changes of ['refund_reserved = 1000', 'refund_reserved = 500, disputed = 500', 'disputed = -1'])
    await expect(set(changes)).rejects.toThrow('payments_cap_check');
  await set('refund_reserved = 500, disputed = 499');
});

it('counts in the minor units of every currency', async () => {
  const factors = await queryOnce<{ currency: string; captured: string }>(
    database.url,
    `insert into payments (order_id, customer_id, status, amount, currency, payment_id, created_at, updated_at)
     select gen_random_uuid(), gen_random_uuid(), 'PAID', 1, currency, gen_random_uuid(), now(), now()
     from unnest(array['${currencies.join("','")}']) as currency
     returning currency, captured`,
  );
  const expected = currencies.map((currency) => [currency, 10 ** minorUnit(currency)]);
  expect(factors.map(({ currency, captured }) => [currency, Number(captured)])).toEqual(expected);
});

it('does not let the previous release take a part for the whole', async () => {
  const orderId = await paidOrder(payment);
  await refund(payment, orderId, { amount: usd(1) }).expect(201);
  // The statement of the previous release once it has carried out a refund.
  const whole = `update payments set status = 'REFUNDED', updated_at = now() where order_id = '${orderId}'`;
  await expect(queryOnce(database.url, whole)).rejects.toThrow('payments_remainder_check');
});
