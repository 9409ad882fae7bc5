import { createHash } from 'node:crypto';
import { processEvents } from '@store/shared/messaging/consumer/process';
import { newEvent } from '@store/shared/messaging/events';
import request from 'supertest';
import { receivedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createConsumerGroup } from '../../src/saga/consumer-group.ts';
import { deleteLateDetails } from '../../src/saga/saga-repository.ts';
import { alice, as, bob, fakeProducts, oneTea, testApp } from '../_app.ts';

const products = fakeProducts();
const order = useDatabase('order').open((url) => testApp(url, { products }));
const customer = as(alice, order);

beforeEach(async () => {
  products.name = 'Tea';
  await order.empty();
});

const address = { name: 'Ada', lines: ['12 Rua Augusta', '2.º "esq"'], city: 'Lisboa', country: 'PT' };

describe('an order', () => {
  it('is accepted at its largest size, with every character written as an escape', async () => {
    const [text, name] = ['🍵'.repeat(500), '🍵'.repeat(200)];
    const sent = {
      customerId: alice,
      items: Array.from({ length: 100 }, () => oneTea.items[0]),
      shippingAddress: {
        name,
        lines: Array(4).fill(name),
        postalCode: '🍵'.repeat(20),
        city: '🍵'.repeat(100),
        country: 'PT',
      },
      metadata: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}`.padEnd(40, 'x'), text])),
    };
    const escaped = JSON.stringify(sent).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    expect(escaped.length).toBeGreaterThan(128 * 1024);
    const headers = { 'id-account': alice, 'content-type': 'application/json' };
    const { status, body } = await request(order.app).post('/orders').set(headers).send(escaped);
    expect([status, body.metadata]).toEqual([201, sent.metadata]);
  });

  it('is the same text in every reply', async () => {
    products.name = 'Tea "étoile" \\ \u2028 🍵';
    const metadata = { z: '🍵 "\n\\', 'B.2': '', a_1: 'one', 10: 'ten', 9: 'nine', '01': '', 4294967295: '' };
    const sent = { ...oneTea, shippingAddress: { ...address, country: 'pt' }, metadata };
    const first = await customer.placeWith('k', sent);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      items: [{ name: products.name }],
      shippingAddress: { ...address, postalCode: null, region: null },
      metadata,
    });
    const { text } = await customer.get(first.body.id).expect(200);
    expect(text).toBe(first.text);
    expect((await customer.list()).text).toContain(text);
    const again = await customer.placeWith('k', {
      ...sent,
      metadata: Object.fromEntries(Object.entries(metadata).reverse()),
    });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.text).toBe(text);
    expect((await customer.placeWith('k', { ...sent, metadata: {} })).status).toBe(422);
    const at = new Date('2026-03-04T05:06:07.089Z');
    const data = { paidAt: at, shippedAt: at, cancelledAt: at, totalAmount: '12.3400' };
    await order.prisma.order.update({ where: { id: first.body.id }, data });
    const changed = await customer.get(first.body.id).expect(200);
    expect(changed.body).toMatchObject({ version: 4, total: { amount: 12.34 }, shippedAt: at.toISOString() });
    expect((await customer.list()).text).toContain(changed.text);
  });

  it('keeps the name and the sku that a product had when the order was placed', async () => {
    products.sku = 'TEA-"1"';
    const id = await customer.placed();
    products.name = 'Green tea';
    products.sku = 'TEA-2';
    const { body, text } = await customer.get(id);
    expect(body.items).toMatchObject([{ name: 'Tea', sku: 'TEA-"1"' }]);
    expect((await customer.list()).text).toContain(text);
    products.sku = null;
  });

  it('has no address or metadata if they are absent or null', async () => {
    const first = await customer.placeWith('k', oneTea);
    expect(first.body).toMatchObject({ shippingAddress: null, metadata: null });
    expect((await customer.placeWith('k', { ...oneTea, shippingAddress: null, metadata: null })).text).toBe(first.text);
    expect(await order.prisma.orderDetails.count()).toBe(0);
    // The key of a request to an earlier release, which does not know these fields.
    const requestHash = createHash('sha256').update(JSON.stringify(oneTea)).digest('base64url');
    expect(await order.prisma.idempotencyKey.findFirst()).toMatchObject({ requestHash });
    // Like orders of earlier releases.
    await order.prisma.orderItem.updateMany({ data: { name: null, sku: null } });
    expect((await customer.get(first.body.id)).body.items).toMatchObject([{ name: null, sku: null }]);
  });

  it('has no address in its event or in the stored reply', async () => {
    await customer.placeWith('k', { ...oneTea, shippingAddress: address, metadata: { by: 'Augusta' } });
    const kept = [await order.prisma.outbox.findMany(), await order.prisma.idempotencyKey.findMany()];
    expect(JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? '' : value))).not.toMatch(/Ada|Augusta/);
  });
});

const group = createConsumerGroup(() => new Date());
/** Handles the event that says that alice's account is deleted. */
async function deleteAccount(): Promise<void> {
  const deleted = newEvent('AccountDeleted', { accountId: alice, timestamp: new Date().toISOString() });
  await processEvents(group, order.database, [receivedEvent(deleted)]);
}

it('loses only address and metadata when its account is deleted', async () => {
  const details = { shippingAddress: address, metadata: { by: 'Ada' } };
  const { body } = await customer.place({ ...oneTea, ...details });
  const other = await as(bob, order).place({ ...oneTea, ...details });
  await deleteAccount();
  const after = await customer.get(body.id).expect(200);
  expect(after.body).toEqual({ ...body, shippingAddress: null, metadata: null });
  expect((await as(bob, order).get(other.body.id)).body).toEqual(other.body);
});

it('loses them soon if it was in flight when its account was deleted', async () => {
  await deleteAccount();
  const late = await customer.place({ ...oneTea, shippingAddress: address });
  const other = await as(bob, order).place({ ...oneTea, shippingAddress: address });
  await deleteLateDetails(order.database);
  expect((await customer.get(late.body.id)).body.shippingAddress).toBeNull();
  expect((await as(bob, order).get(other.body.id)).body).toEqual(other.body);
});

it('loses them for an hour after the deletion, longer than any request takes', async () => {
  await deleteAccount();
  const age = (time: string) =>
    order.prisma.$executeRaw`update deleted_accounts set deleted_at = now() - ${time}::interval`;
  await age('59 minutes');
  await deleteLateDetails(order.database);
  const late = await customer.place({ ...oneTea, shippingAddress: address });
  await deleteLateDetails(order.database);
  expect((await customer.get(late.body.id)).body.shippingAddress).toBeNull();
  await age('61 minutes');
  const later = await customer.place({ ...oneTea, shippingAddress: address });
  await deleteLateDetails(order.database);
  expect((await customer.get(later.body.id)).body.shippingAddress).toEqual(later.body.shippingAddress);
});

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

it.each<[string, object]>([
  ['shippingAddress', { ...address, country: 'XX' }],
  ['shippingAddress', { ...address, country: 'Portugal' }],
  ['shippingAddress', { ...address, lines: [] }],
  ['shippingAddress', { ...address, lines: ['1', '2', '3', '4', '5'] }],
  ['shippingAddress', { ...address, city: 'a\0b' }],
  ['shippingAddress', { ...address, name: undefined }],
  ['metadata', fields(21)],
  ['metadata', { ['k'.repeat(41)]: 'v' }],
  ['metadata', { 'a b': 'v' }],
  ['metadata', JSON.parse('{"__proto__":"v"}')],
  ['metadata', { k: 'v'.repeat(501) }],
  ['metadata', { k: 1 }],
  ['metadata', ['v']],
])('is rejected with an invalid %s: %j', async (field, value) => {
  const { body } = await customer.place({ ...oneTea, [field]: value }).expect(400);
  expect(body.errors[0].path).toMatch(new RegExp(`^body\\.${field}`));
  expect(body.errors[0].message).not.toBe('is not valid');
  expect(await order.prisma.order.count()).toBe(0);
});

describe('GET /orders', () => {
  const placed = (metadata: object) => customer.place({ ...oneTea, metadata }).then(({ body }): string => body.id);
  const idsOf = async (query: string) => {
    const { content, page } = (await customer.list(query).expect(200)).body;
    expect(page.totalElements).toBe(content.length);
    return content.map(({ id }: { id: string }) => id);
  };

  it('lists the orders that have all of the values', async () => {
    const web = await placed({ shop: 'web', campaign: 'a=b&c' });
    await placed({ shop: 'kiosk', ...fields(19) });
    await customer.placed();
    await as(bob, order).place({ ...oneTea, metadata: { shop: 'web' } });
    expect(await idsOf('?metadata[shop]=web')).toEqual([web]);
    expect(await idsOf('?metadata%5Bshop%5D=web&metadata[campaign]=a%3Db%26c')).toEqual([web]);
    expect(await idsOf('?metadata[shop]=web&status=CANCELLED&sort=total')).toEqual([]);
  });

  it('lists the orders of a time range page by page', async () => {
    const ids = [];
    for (let day = 1; day <= 4; day += 1) {
      const id = await customer.placed();
      await order.prisma.order.update({ where: { id }, data: { createdAt: new Date(`2026-01-0${day}T00:00:00Z`) } });
      ids.push(id);
    }
    const range = '?sort=createdAt&createdFrom=2026-01-02T01:00:00%2B01:00&createdTo=2026-01-04T00:00:00Z';
    const others = ['2026-01-02t00:00:00z', '2026-01-02T00:00Z', '2026-01-02T05:30:00+05:30'];
    for (const from of ['2026-01-02T01:00:00+01:00', ...others])
      expect(await idsOf(range.replace('2026-01-02T01:00:00%2B01:00', from))).toEqual(ids.slice(1, 3));
    expect(await idsOf(range)).toEqual(ids.slice(1, 3));
    const { body, headers } = await customer.list(`${range}&size=1`);
    expect(body.page.totalElements).toBe(2);
    const next = await customer.list(/<\/orders(\?[^>]+)>/.exec(headers.link ?? '')?.[1]);
    expect(next.body.content).toMatchObject([{ id: ids[2] }]);
    expect(next.headers.link).toBeUndefined();
    expect(await idsOf('?createdFrom=0001-01-01T00:00:00Z&createdTo=9999-12-31T23:59:59Z')).toHaveLength(4);
  });

  it.each([
    'createdFrom=2026-01-01',
    'createdTo=2026-02-30T00:00:00Z',
    'createdFrom=0000-01-01T00:00:00Z',
    'createdTo=9999-12-31T23:59:59-01:00',
    'createdTo=10000-01-01T00:00:00Z',
    'metadata=x',
    'metadata[]=x',
    'metadata[a]=1&metadata[a]=2',
  ])('rejects %s', async (query) => {
    await customer.list(`?${query}`).expect(400);
  });
});
