import { createHash } from 'node:crypto';
import { processEvents } from '@store/shared/messaging/consumer/process';
import { newEvent } from '@store/shared/messaging/events';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { receivedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createPaymentDetailsRepository } from '../../src/paying/payment-details-repository.ts';
import { createConsumerGroup } from '../../src/saga/consumer-group.ts';
import { deleteLateDetails } from '../../src/saga/saga-repository.ts';
import { alice, as, bob, fakeProducts, nothing, oneTea, rowCounts, testApp, unknown } from '../_app.ts';
import { placing } from '../live/_streams.ts';

const products = fakeProducts();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products }));
const strict = database.open((url) => testApp(url, { env: { PAYMENT_TOKEN_REQUIRED: 'true' } }));
const customer = as(alice, order);

beforeEach(() => order.empty());

const token = 'pm_1PgafmB7WZ01zgkWpm4r5vDf';
const withToken = { ...oneTea, payment: { token } };
const paying = async (who = customer): Promise<string> => (await who.place(withToken).expect(201)).body.id;

const tokenOf = (id: string) => request(order.app).get(`/internal/orders/${id}/payment-token`);
const url = 'https://bank.example/3ds?secret=x&a="b"';
const nextAction = { type: 'redirect', url };
const setAction = (id: string, body: object = { status: 'action-required', nextAction }) =>
  request(order.app).put(`/internal/orders/${id}/payment`).send(body);
const paymentOf = async (id: string) => (await customer.get(id).expect(200)).body.payment;
const refunded = { amount: 0, currency: 'USD' };

/** As the worker confirms an order, even that of the previous release. */
const confirming = (id: string) => `update orders set status = 'CONFIRMED', paid_at = now() where id = '${id}'`;

/** All that the tables hold, except the tokens in the table that is made for them. */
async function everythingStored(): Promise<string> {
  const tables = await queryOnce<{ name: string }>(
    database.url,
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> 'payment_details'`,
  );
  expect(tables.map(({ name }) => name)).toContain('outbox');
  const rows = await Promise.all(
    tables.map(({ name }) => queryOnce(database.url, `select row_to_json(t)::text as row from "${name}" as t`)),
  );
  return JSON.stringify(rows);
}

describe('the token that an order is paid with', () => {
  it('is given to payment, as long as the order waits for its payment', async () => {
    const id = await paying();
    const { body, headers } = await tokenOf(id).expect(200);
    expect([body, headers['cache-control']]).toEqual([{ token }, 'no-store']);
    await tokenOf(await customer.placed()).expect(404);
    await tokenOf(unknown).expect(404);
  });

  it('is only stored in its own table, and is in no answer and no event', async () => {
    const first = await customer.placeWith('k', withToken);
    const again = await customer.placeWith('k', withToken);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const { id } = first.body;
    const answers = [
      first,
      again,
      await customer.get(id),
      await customer.list(),
      await customer.placeWith('k', { ...withToken, payment: { token: `${token}x` } }),
      await customer.placeWith('k', oneTea),
      await request(order.app).get(`/internal/orders/${id}`),
      await request(order.app).get('/internal/orders'),
      await request(order.app).get('/internal/stuck-orders?seconds=1'),
      await request(order.app).get('/internal/account-data').set('id-account', alice),
      await customer.cancel(await paying()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 422, 422, 200, 200, 200, 200, 201]);
    for (const { text, headers } of answers) expect(text + JSON.stringify(headers)).not.toContain(token);
    const stored = await everythingStored();
    expect(stored).toContain(id);
    expect(stored).not.toContain(token);
    expect((await tokenOf(id)).body).toEqual({ token });
  });

  it('is announced by its event as a fact, which other orders lack', async () => {
    const ids = [await paying(), await customer.placed()];
    const events = await order.prisma.outbox.findMany({ orderBy: { seq: 'asc' } });
    const payloads = events.map(({ payload }) => JSON.parse(payload));
    expect(payloads.map(({ orderId, hasToken }) => ({ orderId, hasToken }))).toEqual([
      { orderId: ids[0], hasToken: true },
      { orderId: ids[1], hasToken: undefined },
    ]);
  });

  it('makes another request of the same order', async () => {
    const { body } = await customer.placeWith('k', withToken);
    for (const payment of [{ token: 'card-ok' }, undefined]) {
      const { status, body } = await customer.placeWith('k', { ...oneTea, payment });
      expect([status, body.type]).toEqual([422, 'urn:problem:store:idempotency-key-reused']);
    }
    const extended = { ...oneTea, payment: { more: 1, token } };
    expect((await customer.placeWith('k', extended)).body.id).toBe(body.id);
    // The hash of a request without a token is that of earlier releases.
    await customer.placeWith('other', { ...oneTea, payment: null });
    const requestHash = createHash('sha256').update(JSON.stringify(oneTea)).digest('base64url');
    expect(await order.prisma.idempotencyKey.count({ where: { key: 'other', requestHash } })).toBe(1);
  });

  it.each<[string, (id: string) => PromiseLike<unknown>]>([
    ['confirmed', (id) => queryOnce(database.url, confirming(id))],
    ['cancelled', (id) => customer.cancel(id).expect(201)],
    ['deleted by its owner', (id) => customer.remove(id).expect(204)],
    ['dropped from the database', (id) => queryOnce(database.url, `delete from orders where id = '${id}'`)],
  ])('is deleted when its order is %s', async (_, end) => {
    const [id, other] = [await paying(), await paying()];
    await end(id);
    await tokenOf(id).expect(404);
    expect(await order.prisma.paymentDetails.findMany({ select: { orderId: true } })).toEqual([{ orderId: other }]);
  });

  it('is deleted with the account, even if the order was in flight', async () => {
    const group = createConsumerGroup(() => new Date());
    const other = await paying(as(bob, order));
    const id = await paying();
    const deleted = newEvent('AccountDeleted', { accountId: alice, timestamp: new Date().toISOString() });
    await processEvents(group, order.database, [receivedEvent(deleted)]);
    await tokenOf(id).expect(404);
    const late = await paying();
    await deleteLateDetails(order.database);
    await tokenOf(late).expect(404);
    await tokenOf(other).expect(200);
  });

  it('is deleted after a time, whatever has become of its order', async () => {
    const [old, young] = [await paying(), await paying()];
    const at = new Date('2026-03-04T05:06:07.000Z');
    for (const [orderId, ms] of [
      [old, -1],
      [young, 0],
    ] as const)
      await order.prisma.paymentDetails.update({
        where: { orderId },
        data: { createdAt: new Date(at.getTime() + ms) },
      });
    await createPaymentDetailsRepository(order.database).deleteOld(at);
    await tokenOf(old).expect(404);
    await tokenOf(young).expect(200);
  });

  it.each<[string, unknown]>([
    ['payment', {}],
    ['payment', 'card-ok'],
    ['payment', [token]],
    ['payment.token', { token: null }],
    ['payment.token', { token: '' }],
    ['payment.token', { token: { id: token } }],
    ['payment.token', { token: 4_242_424_242_424_242 }],
    ['payment.token', { token: 'x'.repeat(256) }],
    ['payment.token', { token: 'card ok' }],
    ['payment.token', { token: 'cärd' }],
    ['payment.token', { token: 'card\nok' }],
    ['payment.token', { token: 'card\0ok' }],
  ])('is refused as %s: %j', async (path, payment) => {
    const { text, body } = await customer.place({ ...oneTea, payment }).expect(400);
    expect(body.errors[0].path).toMatch(new RegExp(`^body.${path}`));
    for (const secret of [token, '4242424242424242', 'xxxx']) expect(text).not.toContain(secret);
    expect(await rowCounts(order.prisma)).toEqual(nothing);
  });

  it('may have 255 characters, of any visible ASCII', async () => {
    const longest = `${`'"\\$1{}%s`.repeat(30)}`.slice(0, 255);
    const { body } = await customer.place({ ...oneTea, payment: { token: longest } }).expect(201);
    expect((await tokenOf(body.id)).body).toEqual({ token: longest });
  });

  it('is only told to a caller with the credential of payment', async () => {
    const [caller, operator, mailer] = [newCredential(), newCredential(), newCredential()];
    const others = { OPERATOR_CREDENTIALS: operator, MAILER_CREDENTIALS: mailer };
    const env = { INTERNAL_CREDENTIAL: caller, INTERNAL_CREDENTIALS: caller, ...others };
    const { app } = database.closeLater(testApp(database.url, { env }));
    const path = `/internal/orders/${await paying()}/payment`;
    for (const [credential, expected] of [
      ['', [403, 403]],
      [operator, [403, 403]],
      [mailer, [403, 403]],
      [caller, [200, 204]],
    ] as const) {
      const headers = { authorization: `Bearer ${credential}` };
      const read = await request(app).get(`${path}-token`).set(headers);
      const written = await request(app).put(path).set(headers).send({ status: 'action-required', nextAction });
      expect([read.status, written.status]).toEqual(expected);
    }
  });
});

describe('with a provider that needs a token', () => {
  const strictly = as(alice, strict);

  it('an order without one is 422, changes nothing and leaves the Idempotency-Key unused', async () => {
    for (const payment of [undefined, null]) {
      const { status, body } = await strictly.placeWith('k', { ...oneTea, payment });
      expect([status, body.type]).toEqual([422, 'urn:problem:store:payment-required']);
      expect(await rowCounts(order.prisma)).toEqual(nothing);
    }
    expect((await strictly.placeWith('k', withToken)).status).toBe(201);
  });

  it('an order that was placed before that gets its stored reply', async () => {
    const first = await customer.placeWith('k', oneTea);
    const again = await strictly.placeWith('k', oneTea);
    expect([again.status, again.text]).toEqual([201, first.text]);
  });
});

describe('what the customer has to do before the payment can go on', () => {
  it('is shown in every reply, until payment says that it is done', async () => {
    const id = await paying();
    expect(await paymentOf(id)).toEqual({ status: 'pending', refunded });
    await setAction(id).expect(204);
    const { body, text, headers } = await customer.get(id).expect(200);
    expect(body).toMatchObject({ version: 2, payment: { status: 'action-required', nextAction, refunded } });
    expect((await customer.list()).text).toContain(text);
    // A repetition changes nothing, whatever the tag says.
    await setAction(id).expect(204);
    await customer.get(id, { 'if-none-match': headers.etag }).expect(304);
    await setAction(id, { status: 'pending', nextAction: null }).expect(204);
    expect((await customer.get(id, { 'if-none-match': headers.etag }).expect(200)).body).toMatchObject({
      version: 3,
      payment: { status: 'pending', refunded },
    });
    await setAction(id, { status: 'pending', nextAction: null }).expect(204);
    expect((await customer.get(id)).body.version).toBe(3);
  });

  it('is not shown to others, in no event, and not in the stored reply', async () => {
    const first = await customer.placeWith('k', withToken);
    await setAction(first.body.id).expect(204);
    await as(bob, order).get(first.body.id).expect(404);
    expect((await as(bob, order).list()).text).not.toContain('bank.example');
    const asOperator = { 'id-account': bob, 'account-roles': 'operator', 'operator-name': 'ann' };
    const ofOthers = [
      '/store/orders',
      `/store/orders/${first.body.id}`,
      '/internal/orders',
      `/internal/orders/${first.body.id}`,
    ];
    for (const path of [...ofOthers, `/internal/shown-orders?id=${first.body.id}`]) {
      const { text } = await request(order.app).get(path).set(asOperator).expect(200);
      expect([path, text]).toEqual([path, expect.stringContaining('"action-required"')]);
      expect([path, text]).not.toEqual([path, expect.stringContaining('bank.example')]);
    }
    expect((await customer.placeWith('k', withToken)).text).toBe(first.text);
    expect(await everythingStored()).not.toContain('bank.example');
  });

  it('leaves other orders as they are', async () => {
    const [id, other] = [await paying(), await customer.placed()];
    const before = (await customer.get(other)).text;
    await setAction(id).expect(204);
    await setAction(other, { status: 'pending', nextAction: null }).expect(204);
    expect((await customer.get(other)).text).toBe(before);
    await setAction(unknown).expect(404);
  });

  it('can also come for an order without a token', async () => {
    const id = await customer.placed();
    await setAction(id).expect(204);
    expect(await paymentOf(id)).toMatchObject({ status: 'action-required', nextAction });
    await customer.cancel(id).expect(201);
    expect(await order.prisma.paymentDetails.count()).toBe(0);
  });

  it.each<[string, (id: string) => PromiseLike<unknown>, string]>([
    ['CONFIRMED', (id) => queryOnce(database.url, confirming(id)), 'paid'],
    ['CANCELLED', (id) => customer.cancel(id).expect(201), 'cancelled'],
  ])('is over once the order is %s, and cannot come again', async (_, end, status) => {
    const id = await paying();
    await setAction(id).expect(204);
    await end(id);
    const { text } = await customer.get(id);
    expect(JSON.parse(text).payment).toEqual({ status, refunded });
    expect((await customer.list()).text).toContain(text);
    await setAction(id).expect(204);
    expect((await customer.get(id)).text).toBe(text);
    expect(await order.prisma.paymentDetails.count()).toBe(0);
  });

  it('is in the answer to a cancellation no more', async () => {
    const id = await paying();
    await setAction(id).expect(204);
    const { text } = await customer.cancel(id).expect(201);
    expect((await customer.get(id)).text).toBe(text);
    expect(text).not.toContain('bank.example');
  });

  it('makes a client that has not seen it read the order again before it cancels by version', async () => {
    const id = await paying();
    await setAction(id).expect(204);
    const { body } = await customer.change(id, { status: 'CANCELLED', version: 1 }).expect(409);
    expect(body.type).toBe('urn:problem:store:stale-version');
    await customer.change(id, { status: 'CANCELLED', version: 2 }).expect(200);
  });

  it.each<[string, object]>([
    ['a script', { status: 'action-required', nextAction: { type: 'redirect', url: 'javascript:alert(1)' } }],
    ['a relative URL', { status: 'action-required', nextAction: { type: 'redirect', url: '/3ds' } }],
    ['a long URL', { status: 'action-required', nextAction: { type: 'redirect', url: `${url}${'x'.repeat(4_000)}` } }],
    ['an unknown action', { status: 'action-required', nextAction: { type: 'form', url } }],
    ['no action', { status: 'action-required', nextAction: null }],
    ['an action for nothing', { status: 'pending', nextAction }],
    ['a status that only events set', { status: 'paid', nextAction: null }],
  ])('is refused if it is %s', async (_, body) => {
    const id = await paying();
    await setAction(id, body).expect(400);
    expect(await paymentOf(id)).toEqual({ status: 'pending', refunded });
  });
});

it('an order of the previous release has no payment details, and costs no look-up for them', async () => {
  const [id = ''] = (await queryOnce<{ id: string }>(database.url, `${placing(alice)} returning id`)).map(
    (row) => row.id,
  );
  expect(await paymentOf(id)).toEqual({ status: 'pending', refunded });
  await queryOnce(database.url, confirming(id));
  expect(await paymentOf(id)).toEqual({ status: 'paid', refunded });
});
