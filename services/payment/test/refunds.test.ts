import { randomUUID } from 'node:crypto';
import { Decimal } from '@store/shared/values/money';
import request, { type Response } from 'supertest';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { aboveLimit, alice, orderCancelled, stockReserved, testPayments } from './_payments.ts';
import { asAlice, countsOf, cup, list, olga, orders, oscar, paidOrder, reason, refund, tea, usd } from './_refunds.ts';

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { orders }));
const settled = (orderId: string) => payment.apply(stockReserved(orderId));

describe('a refund', () => {
  it('of lines is carried out at the prices of the order, and announced without the words of the operator', async () => {
    const orderId = await paidOrder(payment);
    const body = { lines: [{ productId: cup, quantity: 1 }] };
    const made = await refund(payment, orderId, body).expect(201);
    const own = { id: made.body.id, orderId, amount: usd(8.99), lines: body.lines };
    const whole = { ...own, source: 'operator', reason, actor: `account ${olga['id-account']}`, failure: null };
    expect(made.body).toMatchObject({ ...whole, state: 'PENDING' });
    expect(made.headers.location).toBe(`/orders/${orderId}/refunds/${made.body.id}`);
    await settled(orderId);

    const [paid, issued] = await payment.eventsOf(orderId);
    expect(issued?.payload).toEqual({
      ...{ orderId, customerId: alice, timestamp: expect.any(String), refundId: made.body.id },
      ...{ paymentId: paid?.payload.paymentId, amount: usd(8.99) },
    });
    expect(await payment.stateOf(orderId)).toEqual(['PAID', 'OrderPaid', 'RefundIssued']);
    expect((await list(payment, orderId).expect(200)).body).toMatchObject([{ ...whole, state: 'SUCCEEDED' }]);
    const ofOwner = (await list(payment, orderId, asAlice).expect(200)).body;
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect(ofOwner).toEqual([{ ...own, ...times, state: 'SUCCEEDED' }]);
  });

  it('announces what it returns at each rate of tax', async () => {
    const orderId = randomUUID();
    const rates = [
      { permille: 230, gross: new Decimal('6.66') },
      { permille: 0, gross: new Decimal('3.33') },
    ];
    await payment.apply(stockReserved(orderId, '9.99', { taxes: rates }));
    await refund(payment, orderId, { amount: usd(3) }).expect(201);
    await settled(orderId);
    const returned = [
      { permille: 0, gross: 1 },
      { permille: 230, gross: 2 },
    ];
    expect((await payment.eventsOf(orderId))[1]?.payload).toMatchObject({ amount: usd(3), taxes: returned });
  });

  it('of an amount is recorded in the audit trail, in its transaction', async () => {
    const orderId = await paidOrder(payment);
    await whileCommitsFail(database.url, 'audit', () => refund(payment, orderId, { amount: usd(4) }).expect(500));
    expect(await payment.prisma.refund.count({ where: { orderId } })).toBe(0);
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 0 });
    const { body } = await refund(payment, orderId, { amount: usd(4) }).expect(201);
    const trail = await payment.prisma.audit.findMany({ where: { subject: orderId, kind: 'refund' } });
    const after = { refund: body.id, amount: 4, currency: 'USD', reason };
    expect(trail).toMatchObject([{ actor: `account ${olga['id-account']}`, before: null, after }]);
  });

  it('of each piece alone comes to the total in the end', async () => {
    const orderId = await paidOrder(payment);
    const amounts: number[] = [];
    for (const productId of [tea, tea, tea, cup]) {
      const { body } = await refund(payment, orderId, { lines: [{ productId, quantity: 1 }] }).expect(201);
      amounts.push(body.amount.amount);
    }
    expect(amounts).toEqual([0.33, 0.34, 0.33, 8.99]);
    expect(await countsOf(payment, orderId)).toEqual({ captured: 999, reserved: 999, disputed: 0 });
  });

  const line = (productId: string, quantity: unknown) => ({ lines: [{ productId, quantity }] });
  it.each([
    ['nothing', {}],
    ['lines and an amount', { ...line(tea, 1), amount: usd(1) }],
    ['no lines', { lines: [] }],
    ['an unknown product', line(randomUUID(), 1)],
    ['more than was ordered', line(tea, 4)],
    ['more than was ordered, in two lines', { lines: [...line(tea, 2).lines, ...line(tea, 2).lines] }],
    ['no piece', line(tea, 0)],
    ['a negative quantity', line(tea, -1)],
    ['half a piece', line(tea, 0.5)],
    ['an amount of 0', { amount: usd(0) }],
    ['a negative amount', { amount: usd(-1) }],
    ['a part of a cent', { amount: usd(0.001) }],
    ['an amount as text', { amount: usd('1') }],
    ['no currency', { amount: { amount: 1 } }],
    ['another currency', { amount: { amount: 1, currency: 'EUR' } }],
    ['no reason', { amount: usd(1), reason: undefined }],
    ['an empty reason', { amount: usd(1), reason: ' ' }],
    ['a long reason', { amount: usd(1), reason: 'x'.repeat(501) }],
    ['an amount of 30 digits', `{"amount":{"amount":${'9'.repeat(30)},"currency":"USD"},"reason":"x"}`],
    ['an exponent below the cent', '{"amount":{"amount":1e-3,"currency":"USD"},"reason":"x"}'],
    ['a huge exponent', '{"amount":{"amount":1e400,"currency":"USD"},"reason":"x"}'],
    ['a tiny exponent', '{"amount":{"amount":1e-400,"currency":"USD"},"reason":"x"}'],
  ])('of %s is 400 and changes nothing', async (_, body) => {
    const orderId = await paidOrder(payment);
    await refund(payment, orderId, body).expect(400);
    expect(await payment.prisma.refund.count({ where: { orderId } })).toBe(0);
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 0 });
  });

  it('counts lines that are refunded already, unless that failed', async () => {
    const orderId = await paidOrder(payment);
    const { body } = await refund(payment, orderId, line(tea, 2)).expect(201);
    const refused = await refund(payment, orderId, line(tea, 2)).expect(400);
    expect(refused.body.errors).toMatchObject([
      { path: 'body.lines.0.quantity', message: expect.stringMatching(/at most 1/) },
    ]);
    await settled(orderId);
    await payment.prisma.refund.update({ where: { id: body.id }, data: { state: 'FAILED', failure: 'x' } });
    await refund(payment, orderId, line(tea, 3)).expect(201);
  });

  it('needs a key, a payment, and an order that is paid', async () => {
    await refund(payment, await paidOrder(payment), { amount: usd(1) }, { 'idempotency-key': '' }).expect(400);
    await refund(payment, randomUUID(), { amount: usd(1) }).expect(404);
    const declined = await paidOrder(payment, aboveLimit);
    const cancelled = randomUUID();
    await payment.apply(orderCancelled(cancelled));
    for (const orderId of [declined, cancelled]) {
      const { body } = await refund(payment, orderId, { amount: usd(1) }).expect(409);
      expect(body.type).toBe('urn:problem:store:order-not-paid');
    }
  });

  it('is not possible for an order that has a hundred, so that its list stays short', async () => {
    const orderId = await paidOrder(payment);
    const ofAnother = `insert into refunds (id, order_id, customer_id, source, state, amount, currency, created_at, updated_at)
      select gen_random_uuid(), '${orderId}', '${alice}', 'provider', 'SUCCEEDED', 1, 'USD', now(), now()
      from generate_series(1, $count)`;
    await queryOnce(database.url, ofAnother.replace('$count', '99'));
    await refund(payment, orderId, { amount: usd(1) }).expect(201);
    await refund(payment, orderId, { amount: usd(1) }).expect(409);
  });

  it('is not possible for what is left of a refund by the previous release, which leaves only the status', async () => {
    const orderId = await paidOrder(payment);
    await queryOnce(database.url, `update payments set status = 'REFUNDED' where order_id = '${orderId}'`);
    const { body } = await refund(payment, orderId, { amount: usd(1) }).expect(409);
    expect(body.type).toBe('urn:problem:store:refund-exceeds-payment');
  });

  it.each([
    ['700', 'JPY', 700, 0.5],
    ['0.5', 'KWD', 500, 0.0001],
  ])('of %s %s counts its own minor unit', async (amount, currency, captured, tooFine) => {
    const orderId = await paidOrder(payment, amount, currency);
    expect(await countsOf(payment, orderId)).toMatchObject({ captured });
    await refund(payment, orderId, { amount: { amount: tooFine, currency } }).expect(400);
    await refund(payment, orderId, { amount: { amount: Number(amount), currency } }).expect(201);
  });
});

describe('an Idempotency-Key of a refund', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });
  const issued = async (orderId: string) => (await payment.stateOf(orderId)).filter((kind) => kind === 'RefundIssued');

  it('gets the first reply again, whatever has happened since', async () => {
    const [orderId, own] = [await paidOrder(payment), key()];
    const first = await refund(payment, orderId, { amount: usd(9.99) }, own).expect(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    await settled(orderId);
    await payment.apply(orderCancelled(orderId));
    const again = await refund(payment, orderId, { amount: usd(9.99) }, own).expect(201);
    expect([again.text, again.headers.location]).toEqual([first.text, first.headers.location]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await issued(orderId)).toHaveLength(1);
  });

  it.each([
    ['amount', { amount: usd(2) }],
    ['reason', { amount: usd(1), reason: 'Another.' }],
    ['kind', { lines: [{ productId: tea, quantity: 1 }] }],
  ])('is 422 for another %s', async (_, body) => {
    const [orderId, own] = [await paidOrder(payment), key()];
    await refund(payment, orderId, { amount: usd(1) }, own).expect(201);
    const { body: problem } = await refund(payment, orderId, body, own).expect(422);
    expect(problem.type).toBe('urn:problem:store:idempotency-key-reused');
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 100 });
  });

  it('is 422 for another order', async () => {
    const own = key();
    await refund(payment, await paidOrder(payment), { amount: usd(1) }, own).expect(201);
    await refund(payment, await paidOrder(payment), { amount: usd(1) }, own).expect(422);
  });

  it('makes one refund for many requests at once, and another for another operator', async () => {
    const [orderId, own] = [await paidOrder(payment), key()];
    // A request that has waited for 2 s on a busy machine is 503 and has changed nothing.
    const send = async (): Promise<Response> => {
      const reply = await refund(payment, orderId, { amount: usd(1) }, own);
      return reply.status === 503 ? send() : reply;
    };
    const replies = await Promise.all(Array.from({ length: 20 }, send));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    await refund(payment, orderId, { amount: usd(1) }, { ...own, ...oscar }).expect(201);
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 200 });
  });

  it('of a refused request can be used again', async () => {
    const [orderId, own] = [await paidOrder(payment), key()];
    await refund(payment, orderId, { amount: usd(10) }, own).expect(409);
    await refund(payment, orderId, { amount: usd(9) }, own).expect(201);
  });
});

describe('refunds of another customer', () => {
  const bob = { 'id-account': randomUUID() };
  const withScopes = (scopes: string) => ({ ...olga, 'account-scopes': scopes });

  it.each([
    ['a customer', asAlice],
    ['another role', { ...asAlice, 'account-roles': 'catalogue' }],
    ['a key of an operator without the scope', withScopes('orders:read,orders:write')],
    ['a key with the scope, of an account that lost the role', { ...asAlice, 'account-scopes': 'refunds:write' }],
  ])('are not made by %s', async (_, headers) => {
    const orderId = await paidOrder(payment);
    await refund(payment, orderId, { amount: usd(1) }, { 'account-roles': '', ...headers }).expect(403);
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 0 });
  });

  it('are not read by a customer, nor by a key of an operator without the scope for refunds', async () => {
    const orderId = await paidOrder(payment);
    const { body } = await refund(payment, orderId, { amount: usd(1) }).expect(201);
    for (const headers of [bob, withScopes('orders:read')]) {
      await list(payment, orderId, headers).expect(404);
      await request(payment.app).get(`/orders/${orderId}/refunds/${body.id}`).set(headers).expect(404);
    }
    await list(payment, orderId, withScopes('refunds:write')).expect(403);
    const looked = () => payment.prisma.audit.count({ where: { subject: orderId, kind: 'look' } });
    expect(await looked()).toBe(0);
    expect((await list(payment, orderId, withScopes('orders:read,refunds:write')).expect(200)).body).toHaveLength(1);
    expect(await looked()).toBe(1);
  });
});
