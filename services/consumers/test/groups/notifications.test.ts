import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { nextLink } from '../../../../tests/kit/http.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { customerId } from '../consumer/_fixture.ts';
import { allOf, cancelled, testGroup, withMails } from './_group.ts';

describe('notifications', () => {
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'notification-group', withMails));
  const listed = (query = '') =>
    allOf<Record<'id' | 'kind' | 'subject' | 'text', string>>(group, `/notifications${query}`);

  it('are written once for each event that concerns the customer', async () => {
    const [orderId, paymentId, shipmentId] = [randomUUID(), randomUUID(), randomUUID()];
    const order = { orderId, customerId };
    const items = [{ productId: randomUUID(), quantity: 1 }];
    const money = { amount: 12.5, currency: 'USD' } as never;
    const yen = { amount: 700, currency: 'JPY' } as never;
    const forint = { amount: 1999.5, currency: 'HUF' } as never;
    const rejected = { ...order, items, reason: 'it is no more' };
    const told = [
      [storedEvent('OrderCreated', { ...order, total: money }), /^Thank you. .* of 12\.50 USD\.$/],
      [
        storedEvent('OrderPaid', { ...order, paymentId, amount: money }),
        /^We have received 12\.50 USD for .* preparing/,
      ],
      [storedEvent('PaymentFailed', { ...order, reason: 'no money' }), /failed: no money\. The order is cancelled/],
      [
        storedEvent('StockRejected', { ...order, items }),
        /^We cannot deliver .*: out of stock\. The order is cancelled/,
      ],
      [storedEvent('StockRejected', rejected), /: it is no more\. The order is cancelled/],
      [storedEvent('OrderCancelled', { ...order, reason: 'changed my mind' }), /is cancelled: changed my mind\.$/],
      [
        storedEvent('PaymentRefunded', { ...order, paymentId, amount: yen }),
        /^We have refunded 700 JPY for your order/,
      ],
      [storedEvent('PaymentRefunded', { ...order, paymentId, amount: forint }), /^We have refunded 1999\.50 HUF for/],
      [
        storedEvent('PaymentRefunded', { ...order, paymentId, amount: money, remainder: yen }),
        /^We have refunded 700 JPY for your order/,
      ],
      [
        storedEvent('RefundIssued', { ...order, refundId: randomUUID(), paymentId, amount: yen }),
        /^We have refunded 700 JPY of what you paid for your order/,
      ],
      [
        storedEvent('OrderShipped', { ...order, shipmentId }),
        new RegExp(`has been shipped\\. The shipment number is ${shipmentId}\\.$`),
      ],
    ] as const;
    const events = told.map(([event]) => event);
    const nothing = { amount: 0, currency: 'USD' } as never;
    await group.handle(
      ...events,
      storedEvent('StockReserved', { ...order, items, total: money }),
      // Everything went back in parts, each with its message. A dispute is between the store and the bank.
      storedEvent('PaymentRefunded', { ...order, paymentId, amount: money, remainder: nothing }),
      storedEvent('PaymentDisputed', { ...order, disputeId: randomUUID(), paymentId, amount: money, state: 'OPEN' }),
    );
    await group.handle(...events);
    const all = await listed(`?orderId=${orderId}&sort=createdAt,asc&size=3`);
    expect(all).toMatchObject(told.map(([{ id, kind }, text]) => ({ id, kind, text: expect.stringMatching(text) })));
    for (const { text } of all) expect(text).toContain(orderId);
    expect(new Set(all.map(({ subject }) => subject)).size).toBe(8);
  });

  it('can be filtered by customer and by order', async () => {
    const [first, second] = [cancelled(), cancelled()];
    await group.handle(first, second);
    const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
    expect(await ids(`?orderId=${first.key}`)).toEqual([first.id]);
    expect(await ids(`?customerId=${customerId}`)).toEqual([second.id, first.id]);
    expect(await ids(`?customerId=${customerId}&orderId=${second.key}`)).toEqual([second.id]);
    expect(await ids(`?customerId=${randomUUID()}`)).toEqual([]);
  });

  it('have a reason without characters that cannot be stored', async () => {
    await group.handle(cancelled({ reason: 'a\ud800b' }));
    expect(await listed()).toMatchObject([{ text: expect.stringMatching(/is cancelled: a.b\.$/) }]);
  });

  it('that were recorded without a mail server are not sent once there is one', async () => {
    const without = testGroup(database.url, 'notification-group');
    await without.handle(cancelled());
    await without.close();
    expect(await group.prisma.notification.count({ where: { sendAt: { not: null } } })).toBe(0);
    expect(await listed()).toHaveLength(1);
  });
});

describe('notifications of a customer', () => {
  const credential = newCredential();
  const operator = { authorization: `Bearer ${credential}` };
  const database = useDatabase('consumers');
  const group = database.open((url) => testGroup(url, 'notification-group', { INTERNAL_CREDENTIALS: credential }));
  const [alice, mallory] = [randomUUID(), randomUUID()];
  const events = [alice, mallory, alice, alice].map((customer) => cancelled({ customerId: customer }));
  const [first, ofMallory, third, fourth] = events.map(({ id }) => id);

  beforeAll(async () => {
    await group.handle(...events);
    await group.prisma.notification.updateMany({ data: { refusal: '550 mx1.internal: no such mailbox' } });
  });

  const get = (path: string, headers: Record<string, string>) => request(group.app).get(path).set(headers);
  const as = (accountId: string) => ({ 'id-account': accountId });
  const idsOf = ({ body }: { body: { content: { id: string }[] } }) => body.content.map(({ id }) => id);

  it('are listed by their customer, newest first, by cursor', async () => {
    const page = await get('/notifications?size=2', as(alice));
    expect(idsOf(page)).toEqual([fourth, third]);
    expect(page.body.page.totalElements).toBe(3);
    const next = nextLink(page.headers.link) ?? '';
    expect(idsOf(await get(next, as(alice)))).toEqual([first]);
    expect(idsOf(await get(next, as(mallory)))).toEqual([ofMallory]);
  });

  it('are never shown to another customer by a filter, cursor or credential', async () => {
    for (const query of [`customerId=${alice}`, `orderId=${events[0]?.key}`])
      expect(idsOf(await get(`/notifications?${query}`, as(mallory)))).toEqual([]);
    expect(idsOf(await get('/notifications', { ...as(mallory), ...operator }))).toEqual([ofMallory]);
  });

  it('contain the reply of the mail server for operators, who send a credential and no account', async () => {
    const { body } = await get('/notifications', operator);
    expect(body.content).toHaveLength(4);
    expect(body.content[0]).toHaveProperty('refusal');
    for (const { refusal } of (await get('/notifications', as(alice))).body.content) expect(refusal).toBeUndefined();
    expect((await get('/notifications', {})).status).toBe(403);
    expect((await get('/notifications', as('nobody'))).status).toBe(401);
  });
});
