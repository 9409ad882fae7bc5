import { randomUUID } from 'node:crypto';
import { createReceiver, type Received } from '../../examples/webhook-receiver/receiver.ts';
import { type Customer, newCustomer, newProduct } from '../kit/customer.ts';
import { createSend, type Send, withCookie } from '../kit/http.ts';
import { serve } from '../kit/listen.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

// Webhooks (contract 4.22) through the real gateway, with the receiver of examples/webhook-receiver.

let store: TestStore;
let anonymous: Send;
let ada: Customer;
let olga: Customer;

beforeAll(async () => {
  const services = ['auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment', 'webhook'];
  store = await startTestStore({ components: ['gateway', ...services], env: { SHIP_AFTER_SECONDS: 'never' } });
  anonymous = createSend(store.gatewayUrl);
  [ada, olga] = [await newCustomer(anonymous), await newCustomer(anonymous)];
  const path = `/internal/accounts/${olga.accountId}/roles`;
  expect((await createSend(store.url('auth'))('PUT', path, { roles: ['operator'] })).status).toBe(200);
}, 120_000);
afterAll(() => store?.stop(), 60_000);

/** A key of a new service account. */
async function machine(scopes: string[]) {
  const account = { name: 'ERP', scopes, roles: ['operator'] };
  const { status, body } = await olga.send('POST', '/auth/service-accounts', account);
  expect(status).toBe(201);
  const made = await olga.send('POST', `/auth/service-accounts/${body.id}/keys`, { name: 'March' });
  expect(made.status).toBe(201);
  return withCookie(anonymous, `__store_jwt_token=${made.body.key}`);
}

it('an ERP hears of an order until it is shipped, and nobody else can manage its webhook', async () => {
  const send = await machine(['webhooks', 'orders:ship']);
  // The receiver gets its secret only after its address is known.
  let receiver: ReturnType<typeof createReceiver> | undefined;
  const heard: [string, Received][] = [];
  const url = await serve((req, res) => {
    if (receiver === undefined) res.writeHead(503).end();
    else receiver.app(req, res);
  });
  const kinds = ['OrderCreated', 'OrderPaid', 'OrderShipped'];
  const { status, body: webhook } = await send('POST', '/webhooks', { url: `${url}/store`, kinds });
  expect(status).toBe(201);
  receiver = createReceiver(webhook.secret, (received, type) => heard.push([type, received]));

  const productId = await newProduct(ada);
  const stranger = await machine(['orders:read', 'orders:ship']);
  for (const one of [stranger, ada.send]) {
    expect((await one('GET', '/webhooks')).status).toBe(403);
    expect((await one('GET', `/webhooks/${webhook.id}/deliveries`)).status).toBe(403);
    expect((await one('POST', `/webhooks/${webhook.id}/secrets`)).status).toBe(403);
  }
  expect((await anonymous('GET', '/webhooks')).status).toBe(401);
  expect((await send('GET', '/internal/webhooks')).status).toBe(404);

  const { body: order } = await ada.send('POST', '/orders', { items: [{ productId, quantity: 1 }] });
  const about = (type: string) =>
    heard.find(
      ([
        one,
        {
          order: { id },
        },
      ]) => one === type && id === order.id,
    )?.[1];
  await until('it is paid', async () => about('OrderPaid') !== undefined);
  const paid = await ada.send('GET', `/orders/${order.id}`);
  expect(about('OrderPaid')?.order).toEqual(paid.body);
  const parcel = { carrier: 'CTT Expresso' };
  const shipped = await send('POST', `/orders/${order.id}/shipments`, parcel, { 'idempotency-key': randomUUID() });
  expect(shipped.status).toBe(201);
  await until('it is shipped', async () => about('OrderShipped') !== undefined);
  expect(about('OrderShipped')?.order).toEqual((await ada.send('GET', `/orders/${order.id}`)).body);
  const sequences = kinds.map((kind) => about(kind)?.sequence ?? Number.NaN);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(new Set(sequences).size).toBe(3);
  expect(receiver.orders.get(order.id)?.order).toMatchObject({ shipment: parcel });

  await until('all are noted as delivered', async () => {
    const { body } = await send('GET', `/webhooks/${webhook.id}/deliveries?state=DELIVERED`);
    return (
      body
        .map(({ type }: { type: string }) => type)
        .sort()
        .join() === kinds.join()
    );
  });
  expect(await store.logs()).not.toContain(webhook.secret);
});
