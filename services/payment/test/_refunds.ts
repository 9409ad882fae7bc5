import { randomUUID } from 'node:crypto';
import { traceFrom } from '@store/shared/observability/trace-context';
import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import type { OrderClient } from '../src/order-client.ts';
import { paymentsOn } from '../src/payment-repository.ts';
import { type OpenReturns, openReturns } from '../src/returns.ts';
import { alice, stockReserved, type testPayments } from './_payments.ts';

type Payments = ReturnType<typeof testPayments>;

const roles = { 'account-roles': 'operator' };
export const olga = { 'id-account': '0b5e7a70-0000-4000-8000-00000000c002', ...roles };
export const oscar = { 'id-account': '0b5e7a70-0000-4000-8000-00000000c003', ...roles };
export const asAlice = { 'id-account': alice };
export const reason = 'It arrived broken, says Mr Doe.';
export const usd = (amount: unknown) => ({ amount, currency: 'USD' });

export const tea = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
export const cup = '7c9e6679-7425-40de-944b-e07fc1f90ae8';
/** An order of 9.99: three pieces of tea for 1.00 in all, and a cup. */
export const lines = [
  { productId: tea, quantity: 3, unitPrice: new Decimal('0.3333') },
  { productId: cup, quantity: 1, unitPrice: new Decimal('8.99') },
];
export const orders = { lines: async () => lines } satisfies Partial<OrderClient>;

/** Sends a refund with a new key. The body may be text, to keep digits. */
export const refund = (
  { app }: Payments,
  orderId: string,
  body: object | string,
  headers: Record<string, string> = {},
) =>
  request(app)
    .post(`/orders/${orderId}/refunds`)
    .set({ ...olga, 'idempotency-key': randomUUID(), 'content-type': 'application/json', ...headers })
    .send(typeof body === 'string' ? body : JSON.stringify({ reason, ...body }));

export const list = ({ app }: Payments, orderId: string, headers: Record<string, string> = olga) =>
  request(app).get(`/orders/${orderId}/refunds`).set(headers);

export async function paidOrder(payment: Payments, amount = '9.99', currency = 'USD'): Promise<string> {
  const orderId = randomUUID();
  await payment.apply(stockReserved(orderId, amount, { total: { amount: new Decimal(amount), currency } }));
  return orderId;
}

/** Has the service store what its provider tells it about an order's payment. */
export const tell = (
  { database }: Payments,
  orderId: string,
  say: (returns: OpenReturns, traceparent: string) => void,
  at = new Date(),
) =>
  database.inTransaction(async (tx) => {
    const returns = await openReturns(tx, await paymentsOn(tx).lock([orderId]), at);
    say(returns, traceFrom(undefined).traceparent);
    await returns.store();
  });

/** What counts against the payment, in minor units. */
export async function countsOf({ prisma }: Payments, orderId: string) {
  const row = await prisma.payment.findUniqueOrThrow({ where: { orderId } });
  return { captured: Number(row.captured), reserved: Number(row.refundReserved), disputed: Number(row.disputed) };
}
