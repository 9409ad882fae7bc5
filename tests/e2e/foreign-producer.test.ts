import { randomUUID } from 'node:crypto';
import type { RawMessage } from '@store/shared/messaging/kafkajs/messages';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { createSend, type Send } from '../kit/http.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

// Somebody else writes what the specification says of OrderCreated, and nothing more: orderId, customerId, timestamp, with the order
// id as the key, without headers.

const customerId = randomUUID();
let store: TestStore;
let tea: string;
let publisher: ReturnType<typeof createPublisher>;

beforeAll(async () => {
  const groups = ['order-worker', 'inventory', 'payment', 'notification', 'analytics', 'invoice'];
  store = await startTestStore({ components: ['product', 'order', ...groups] });
  publisher = createPublisher({ brokers: store.kafkaBrokers, clientId: 'other', log: createLog('other', 'silent') });
  const product = { name: 'Tea', price: 1.25, unit: 'kg' };
  tea = (await at('product')('POST', '/products', product, { 'id-account': customerId })).body.id;
}, 120_000);

afterAll(async () => {
  await publisher?.close();
  await store?.stop();
}, 60_000);

const at = (service: string): Send => createSend(store.url(service));
const get = async (service: string, path: string) => (await at(service)('GET', path)).body;
const write = (...messages: RawMessage[]) => publisher.send('order-events', messages);

/** An order that the store itself announces to nobody. */
async function unannouncedOrder(): Promise<string> {
  await store.component('order-worker').stop();
  const items = [{ productId: tea, quantity: 2 }];
  const { body } = await at('order')('POST', '/orders', { items }, { 'id-account': customerId });
  await queryOnce(store.databaseUrl('order'), `delete from outbox where key = '${body.id}'`);
  await store.component('order-worker').restart();
  return body.id;
}

it('the specified OrderCreated alone takes an order through every group to CONFIRMED', async () => {
  const orderId = await unannouncedOrder();
  const timestamp = '2001-02-03T04:05:06+00:00';
  await write({ key: orderId, value: JSON.stringify({ orderId, customerId, timestamp }) });
  const order = () => get('order', `/internal/orders/${orderId}`);
  await until('the order is CONFIRMED', async () => (await order()).status === 'CONFIRMED');

  expect(await get('inventory', `/internal/reservations/${orderId}`)).toMatchObject({
    customerId,
    status: 'RESERVED',
    items: [{ productId: tea, quantity: 2 }],
  });
  expect(await get('payment', `/internal/payments/${orderId}`)).toMatchObject({
    status: 'PAID',
    amount: { amount: 2.5, currency: 'USD' },
  });
  const mails = async () => (await get('notification', `/notifications?orderId=${orderId}`)).content;
  await until('the customer was told', async () => (await mails()).length === 2);
  const received = `Thank you. We have received your order ${orderId}.`;
  expect(await mails()).toContainEqual(expect.objectContaining({ kind: 'OrderCreated', text: received }));
  const invoices = async () => (await get('invoice', `/invoices?orderId=${orderId}`)).content;
  await until('there is an invoice', async () => (await invoices()).length === 1);
  const figures = async () =>
    (await get('analytics', '/figures')).content.find(({ day }: { day: string }) => day === '2001-02-03');
  await until('the order is counted', async () => (await figures())?.orders === 1);
});

it('no group has made a dead letter of it; that of an order which nobody knows is listed with its kind', async () => {
  const orderId = randomUUID();
  await write({ key: orderId, value: JSON.stringify({ orderId, customerId, timestamp: new Date().toISOString() }) });
  const letters = async (service: string) => (await get(service, '/internal/dead-letters')).letters;
  await until('inventory has a dead letter', async () => (await letters('inventory')).length > 0);
  expect(await letters('inventory')).toMatchObject([{ orderId, kind: 'OrderCreated', eventId: expect.any(String) }]);
  for (const service of ['order-worker', 'payment', 'notification', 'analytics', 'invoice'])
    expect([service, await letters(service)]).toEqual([service, []]);
});
