import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { createReceiver } from '../receiver.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const orderId = randomUUID();

/** A message as the store sends it, about one order. */
function message(sequence: number, status = 'CONFIRMED', by = secret, at = new Date()) {
  const id = randomUUID();
  const body = JSON.stringify({
    type: 'OrderPaid',
    timestamp: at.toISOString(),
    data: { order: { id: orderId, status }, sequence },
  });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  };
  return { headers, body };
}

function receiver(changed?: Parameters<typeof createReceiver>[1]) {
  const { app, orders } = createReceiver(secret, changed);
  const post = async ({ headers, body }: ReturnType<typeof message>) =>
    (await request(app).post('/store').set(headers).send(body)).status;
  return { post, known: () => orders.get(orderId) };
}

it('keeps the latest state of an order, in whatever sequence messages come', async () => {
  const { post, known } = receiver();
  expect(await post(message(2, 'CANCELLED'))).toBe(204);
  expect(await post(message(1))).toBe(204);
  expect(known()).toEqual({ order: { id: orderId, status: 'CANCELLED' }, sequence: 2 });
});

it('drops what it has received before', async () => {
  let changes = 0;
  const { post } = receiver(() => {
    changes += 1;
  });
  const once = message(1);
  expect([await post(once), await post(once)]).toEqual([204, 204]);
  expect(changes).toBe(1);
});

it('receives a message again that it could not keep', async () => {
  let isDown = true;
  const { post, known } = receiver(() => {
    if (isDown) throw new Error('the database is down');
  });
  const once = message(1);
  expect(await post(once)).toBe(500);
  isDown = false;
  expect(await post(once)).toBe(204);
  expect(known()).toMatchObject({ sequence: 1 });
});

it('refuses what the store has not signed, and what is old', async () => {
  const { post, known } = receiver();
  const signed = message(1);
  expect(await post({ ...signed, body: signed.body.replace('CONFIRMED', 'CANCELLED') })).toBe(401);
  expect(await post(message(1, 'CONFIRMED', newSecret()))).toBe(401);
  expect(await post(message(1, 'CONFIRMED', secret, new Date(Date.now() - 3_600_000)))).toBe(401);
  expect(known()).toBeUndefined();
});

it('accepts a test', async () => {
  const { post, known } = receiver();
  const { headers } = message(0);
  const body = JSON.stringify({ type: 'Test', timestamp: new Date().toISOString(), data: {} });
  headers['webhook-signature'] = new Webhook(secret).sign(headers['webhook-id'], new Date(), body);
  expect(await post({ headers, body })).toBe(204);
  expect(known()).toBeUndefined();
});
