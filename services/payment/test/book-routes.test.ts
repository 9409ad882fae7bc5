import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const database = useDatabase('payment', 'each');
const payment = database.open(testPayments, 'each');
const path = '/internal/books/reconciliations';
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const hour = () => ({ run: randomUUID() as string, from: minutesAgo(75), to: minutesAgo(15) });

const orderShipped = (orderId: string) =>
  storedEvent('OrderShipped', { orderId, customerId: alice, shipmentId: randomUUID() });
const books = async () => (await request(payment.app).get('/internal/books').expect(200)).body;
const reconcile = async (period: object) => (await request(payment.app).post(path).send(period).expect(200)).body;

it('the balances stand on the usual side of their accounts, and name no problem', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await payment.apply(stockReserved(first), stockReserved(second, '20'));
  await payment.handle(orderShipped(second));
  expect(await books()).toEqual({
    balances: [
      { account: 'provider', side: 'debit', balance: { amount: 29.99, currency: 'USD' } },
      { account: 'revenue', side: 'credit', balance: { amount: 20, currency: 'USD' } },
      { account: 'unearned', side: 'credit', balance: { amount: 9.99, currency: 'USD' } },
    ],
    unbooked: 0,
    problems: [],
    reconciliations: [],
  });
});

it('an order has its entries, the oldest first, with debits positive', async () => {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId));
  await payment.apply(orderCancelled(orderId));
  const { body } = await request(payment.app).get(`/internal/books/orders/${orderId}`).expect(200);
  const amount = (value: number) => ({ amount: value, currency: 'USD' });
  expect(body).toMatchObject([
    {
      kind: 'charge',
      lines: [
        { account: 'provider', amount: amount(9.99) },
        { account: 'unearned', amount: amount(-9.99) },
      ],
    },
    {
      kind: 'refund',
      lines: [
        { account: 'provider', amount: amount(-9.99) },
        { account: 'unearned', amount: amount(9.99) },
      ],
    },
  ]);
});

describe('a reconciliation', () => {
  it('with the built-in provider compares nothing, checks the books, and is kept with its run', async () => {
    await payment.apply(stockReserved(randomUUID()));
    const [run, other] = [hour(), hour()];
    await reconcile(other);
    const results = [await reconcile(run), await reconcile({ ...hour(), run: run.run })];
    expect(results[0]).toMatchObject({
      ...{ provider: 'built-in', hasList: false, from: run.from, to: run.to },
      ...{ missingHere: 0, missingThere: 0, different: 0, differences: [], problems: [] },
    });
    expect((await books()).reconciliations).toEqual(results);
  });

  it.each([
    [
      'a balance',
      "insert into balance_changes values ('provider', 'USD', 1)",
      'The accounts in USD do not add up to zero.',
    ],
    [
      'an order that is owed something',
      `insert into unearned values ('${alice}', 'USD', 5, 0, now())`,
      'Unearned in USD is 0 minor units, but the orders that are paid and not shipped add up to 5.',
    ],
    [
      'a payment without entry',
      `insert into payments (order_id, customer_id, status, amount, currency, payment_id, created_at, updated_at)
       values ('${alice}', '${alice}', 'PAID', 1, 'USD', '${alice}', now(), now())`,
      '1 payments are not in the books yet.',
    ],
    [
      'a charge without payment',
      `insert into entries values ('${alice}', '${alice}', 'charge', now() - interval '20 minutes')`,
      '1 charges in the books are not those of their payments.',
    ],
  ])('finds what was changed by hand: %s', async (_, statement, problem) => {
    await queryOnce(database.url, statement);
    expect((await reconcile(hour())).problems).toEqual([problem]);
  });

  it.each([
    ['ends before it begins', () => ({ ...hour(), from: minutesAgo(16), to: minutesAgo(17) })],
    ['is longer than 31 days', () => ({ ...hour(), from: minutesAgo(31 * 1440 + 20) })],
    ['has not ended 15 minutes ago', () => ({ ...hour(), to: minutesAgo(14) })],
  ])('of a period that %s is refused, and not kept', async (_, period) => {
    await request(payment.app).post(path).send(period()).expect(422);
    expect((await books()).reconciliations).toEqual([]);
  });
});
