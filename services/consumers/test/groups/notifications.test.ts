import { randomUUID } from 'node:crypto';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createMailRepository } from '../../src/groups/notification/mail-repository.ts';
import { customerId } from '../consumer/_fixture.ts';
import { paginate, type TestGroup, testGroup } from './_group.ts';

let database: TestDatabase;
let notifications: TestGroup;
let closing: (() => unknown)[] = [];

beforeEach(async () => {
  database = await createTestDatabase('consumers');
  notifications = testGroup(database.url, 'notification-group', { sendsMail: true });
  closing = [database.drop, notifications.close];
});

afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

const order = () => ({ orderId: randomUUID(), customerId });
const money = { amount: 12.5, currency: 'USD' } as never;
const cancelled = (reason = 'why not') => storedEvent('OrderCancelled', { ...order(), reason });

interface Notification {
  id: string;
  kind: string;
  subject: string;
  text: string;
  sentAt?: string;
}

test('each event that concerns the customer makes one notification', async () => {
  const { orderId } = order();
  const one = { orderId, customerId };
  const items = [{ productId: randomUUID(), quantity: 1 }];
  const paymentId = randomUUID();
  const events = [
    storedEvent('OrderCreated', { ...one, total: money }),
    storedEvent('OrderPaid', { ...one, paymentId, amount: money }),
    storedEvent('PaymentFailed', { ...one, reason: 'no money' }),
    storedEvent('StockRejected', { ...one, items }),
    storedEvent('StockRejected', { ...one, items, reason: 'product no longer exists' }),
    storedEvent('OrderCancelled', { ...one, reason: 'changed my mind' }),
    storedEvent('PaymentRefunded', { ...one, paymentId, amount: { amount: 700, currency: 'JPY' } as never }),
    storedEvent('OrderShipped', { ...one, shipmentId: paymentId }),
  ];
  await notifications.handle(...events, storedEvent('StockReserved', { ...one, items, total: money }));
  await notifications.handle(...events);
  const all = await paginate<Notification>(
    notifications,
    `/notifications?orderId=${orderId}&sort=createdAt,asc&size=3`,
  );
  expect(all.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  expect(all.map(({ kind }) => kind)).toEqual(events.map(({ kind }) => kind));
  expect(all.map(({ text }) => text)).toEqual([
    `Thank you. We have received your order ${orderId} of 12.50 USD.`,
    `We have received 12.50 USD for your order ${orderId} and are preparing it.`,
    `The payment of your order ${orderId} failed: no money. The order is cancelled and you owe nothing.`,
    `We cannot deliver all items of your order ${orderId}: out of stock. The order is cancelled and you owe nothing.`,
    `We cannot deliver all items of your order ${orderId}: product no longer exists. The order is cancelled and you owe nothing.`,
    `Your order ${orderId} is cancelled: changed my mind.`,
    `We have refunded 700 JPY for your order ${orderId}.`,
    `Your order ${orderId} has left us as shipment ${paymentId}.`,
  ]);
  expect(new Set(all.map(({ subject }) => subject)).size).toBe(7);
});

test('notifications can be filtered by customer and by order', async () => {
  const [first, second] = [cancelled(), cancelled()];
  await notifications.handle(first, second);
  const ids = async (query: string) =>
    (await paginate<Notification>(notifications, `/notifications?${query}`)).map(({ id }) => id);
  expect(await ids(`orderId=${first.key}`)).toEqual([first.id]);
  expect(await ids(`customerId=${customerId}`)).toEqual([second.id, first.id]);
  expect(await ids(`customerId=${customerId}&orderId=${second.key}`)).toEqual([second.id]);
  expect(await ids(`customerId=${randomUUID()}`)).toEqual([]);
});

test('a reason with characters that cannot be stored is sanitized', async () => {
  await notifications.handle(cancelled('a\0b\ud800'));
  const [{ text } = { text: '' }] = await paginate<Notification>(notifications, '/notifications');
  expect(text).toMatch(/is cancelled: ab.\.$/);
});

test('notifications recorded without a mail server are not sent once there is one', async () => {
  const without = testGroup(database.url, 'notification-group');
  closing.push(without.close);
  await without.handle(cancelled());
  expect(await createMailRepository(notifications.prisma, notifications.kysely).claim(10, 60)).toEqual([]);
  expect(await paginate<Notification>(notifications, '/notifications')).toHaveLength(1);
});
