import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const bob = 'b0b00000-3a52-4d0f-9f0e-0d8a55a1c002';
let orderId: string;
let token: string | undefined;
let told: string[];
let asked: number;

beforeEach(() => {
  orderId = randomUUID();
  told = [];
  asked = 0;
});

const orders = {
  async paymentToken() {
    asked += 1;
    return token;
  },
  tellAction: async (_: string, url: string) => void told.push(url),
};
const database = useDatabase('payment');
// The built-in provider itself.
const payment = database.open((url) => testPayments(url, { provider: 'own', orders }), 'each');

const pay = async (card: string) => {
  token = card;
  await payment.handle(stockReserved(orderId, '9.99', { hasToken: true }));
  payment.startJobs();
};
const isOver = () => until('it is over', async () => (await payment.stateOf(orderId))[0] !== 'CHARGING');
const path = () => `/payments/${orderId}/action`;
const as = (account: string) => ({ 'id-account': account });

it.each([
  ['card-ok', ['PAID', 'OrderPaid']],
  ['card-declined', ['FAILED', 'PaymentFailed']],
  ['card-of-nobody', ['FAILED', 'PaymentFailed']],
])('%s is answered at once', async (card, state) => {
  await pay(card);
  await isOver();
  expect(await payment.stateOf(orderId)).toEqual(state);
});

it('an order without a token is paid, and nobody is asked for one', async () => {
  await payment.apply(stockReserved(orderId));
  expect(await payment.stateOf(orderId)).toEqual(['PAID', 'OrderPaid']);
  expect(asked).toBe(0);
});

describe('card-action', () => {
  beforeEach(async () => {
    await pay('card-action');
    await until('order is told', () => told.length === 1);
  });

  it.each([
    ['approve', ['PAID', 'OrderPaid']],
    ['decline', ['FAILED', 'PaymentFailed']],
  ])('waits until its customer decides to %s on a page of the store', async (decision, state) => {
    expect(told).toEqual([`http://localhost:8080${path()}`]);
    const { text, headers } = await request(payment.app).get(path()).set(as(alice)).accept('text/html').expect(200);
    expect(text).toContain('9.99 USD');
    expect(text).toContain(`action?decision=${decision}`);
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect(await payment.stateOf(orderId)).toEqual(['CHARGING']);
    await request(payment.app).post(`${path()}?decision=${decision}`).set(as(alice)).type('form').expect(200);
    await isOver();
    expect(await payment.stateOf(orderId)).toEqual(state);
    await request(payment.app).post(`${path()}?decision=approve`).set(as(alice)).expect(409);
  });

  it('is nothing that another customer sees or decides', async () => {
    await request(payment.app).get(path()).set(as(bob)).expect(404);
    await request(payment.app).post(`${path()}?decision=approve`).set(as(bob)).expect(404);
    expect(await payment.stateOf(orderId)).toEqual(['CHARGING']);
    await request(payment.app).get(path()).expect(401);
    await request(payment.app).post(`${path()}?decision=pay`).set(as(alice)).expect(400);
  });

  it('ends with its order', async () => {
    await payment.apply(orderCancelled(orderId));
    expect(await payment.stateOf(orderId)).toEqual(['CANCELLED']);
    await request(payment.app).post(`${path()}?decision=approve`).set(as(alice)).expect(409);
  });
});
