import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, bob, dust, fakeProducts, gold, oneTea, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const products = fakeProducts();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const customer = as(alice, order);
const yen = database.open((url) => testApp(url, { env: { STORE_CURRENCY: 'JPY' } }));
const forint = database.open((url) => testApp(url, { env: { STORE_CURRENCY: 'HUF' } }));

beforeEach(() => {
  products.asked = [];
});

type Line = [productId: string, quantity: number];
const linesOf = (...lines: Line[]) => lines.map(([productId, quantity]) => ({ productId, quantity }));
const place = (...lines: Line[]) => customer.place({ items: linesOf(...lines) });
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** Sends a request, which must be rejected and change no table. */
async function rejected(body: object) {
  const before = await rowCounts(order.prisma);
  const response = await customer.place(body);
  expect(await rowCounts(order.prisma)).toEqual(before);
  return response;
}

describe('POST /orders', () => {
  it('returns 201 with the order, and GET returns the same representation', async () => {
    const before = await rowCounts(order.prisma);
    const response = await place([tea, 3], [salt, 1]).expect(201);
    const { id } = response.body;
    expect(response.headers.location).toBe(`/orders/${id}`);
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      customerId: alice,
      status: 'PENDING',
      total: usd(13.5),
      items: [
        { productId: tea, name: 'Tea', sku: null, quantity: 3, unitPrice: usd(4.5) },
        { productId: salt, name: 'Tea', sku: null, quantity: 1, unitPrice: usd(0.005) },
      ],
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
      shippingAddress: null,
      metadata: null,
      payment: { status: 'pending', refunded: usd(0) },
      shipment: null,
    });
    expect((await customer.get(id)).text).toBe(response.text);
    // Without an Idempotency-Key no reply is stored.
    const { orders, items, keys, events } = before;
    expect(await rowCounts(order.prisma)).toEqual({ orders: orders + 1, items: items + 2, keys, events: events + 1 });
  });

  it('merges items of one product, with ids in any letter case, up to 10000', async () => {
    const { body } = await place([salt, 1], [tea, 9_000], [salt, 4], [tea.toUpperCase(), 1_000]);
    expect(body.items).toMatchObject(linesOf([salt, 5], [tea, 10_000]));
    expect(products.asked).toEqual([[salt, tea]]);
    const response = await rejected({ items: linesOf([tea, 9_000], [tea, 1_001]) });
    expect(response.body).toMatchObject({ status: 400, errors: [{ path: 'body.items' }] });
    expect(response.body.detail).toContain('10001');
    expect(products.asked).toHaveLength(1);
  });

  // The contract test sends other malformed bodies.
  it.each([
    ['no items', []],
    ['101 items', linesOf(...Array(101).fill([tea, 1]))],
    ['quantity 0', linesOf([tea, 0])],
    ['quantity 10001', linesOf([tea, 10_001])],
  ])('returns 400 for %s', async (_name, items) => {
    const { status, body } = await rejected({ items });
    expect([status, body.errors.length]).toEqual([400, 1]);
  });

  it('accepts 100 items, and ignores unknown fields', async () => {
    const items = Array.from({ length: 100 }, () => ({ productId: tea, quantity: 1, price: 0.01 }));
    const { body } = await customer.place({ items, status: 'CONFIRMED', id: unknown, total: { amount: 0 } });
    expect(body).toMatchObject({ id: expect.not.stringMatching(unknown), status: 'PENDING', total: usd(450) });
  });

  it('returns 400 naming unknown products', async () => {
    const lost = unknown.replace('dead', 'beef');
    const { body } = await rejected({ items: linesOf([tea, 1], [unknown, 1], [lost, 1]) });
    expect(body).toMatchObject({ status: 400, type: 'urn:problem:store:unknown-product' });
    const messages = [unknown, lost].map((id) => ({ path: 'body.items', message: `there is no product ${id}` }));
    expect(body.errors).toEqual(messages);
  });

  it("accepts the caller's customerId in any letter case and returns 403 for another", async () => {
    await customer.place({ ...oneTea, customerId: alice.toUpperCase() }).expect(201);
    expect((await rejected({ ...oneTea, customerId: bob })).status).toBe(403);
    expect(products.asked).toHaveLength(1);
  });

  it('reads a quantity of 1.00000000000000000000 as 1', async () => {
    const response = await customer.place(JSON.stringify(oneTea).replace(':1}', ':1.00000000000000000000}'));
    expect(response.body.items[0]?.quantity).toBe(1);
  });
});

describe('the total of an order', () => {
  it.each<[string, typeof order, Record<string, number>, string]>([
    ['of more digits than a double holds', order, { [gold]: 9_999, [tea]: 1 }, '9999000000000003.5,"currency":"USD"}'],
    ['rounded half to even', order, { [salt]: 3 }, '0.02,"currency":"USD"}'],
    ['of 0.00', order, { [dust]: 1 }, '0,"currency":"USD"}'],
    ['of yen without a fraction', yen, { [tea]: 1 }, '4,"currency":"JPY"}'],
    ['of forints with the two decimals of ISO 4217', forint, { [tea]: 1 }, '4.5,"currency":"HUF"}'],
  ])('is exact: %s', async (_name, service, lines, total) => {
    const { text } = await as(alice, service).place({ items: linesOf(...Object.entries(lines)) });
    expect(text).toContain(`"total":{"amount":${total}`);
  });

  it('does not change when the currency setting changes', async () => {
    const { body } = await place([tea, 1]);
    expect((await as(alice, yen).get(body.id)).body.total).toEqual(usd(4.5));
  });
});

/** A list of all orders. */
const envelope = (...content: string[]) =>
  `{"content":[${content}],"page":{"size":20,"number":0,"totalElements":${content.length},"totalPages":${content.length}}}`;

describe('an order is the same text', () => {
  const record = (path: string) => customer.call('get', `/internal/orders${path}`);
  beforeEach(() => order.empty());

  it('when it is placed, alone, and in lists, with exact decimals', async () => {
    const items = [tea, salt, gold, dust].map((productId, index) => ({ productId, quantity: 3 + index }));
    const { text, body } = await customer.place({ items }).expect(201);
    expect(text).not.toMatch(/\s/);
    expect((await customer.get(body.id)).text).toBe(text);
    expect((await customer.list()).text).toBe(envelope(text));
    expect((await record(`?accountId=${alice}`)).text).toBe(`[${text}]`);
    const begin = `${text.slice(0, -1)},"cancelReason":null,"deletedAt":null,"events":[{`;
    expect((await record(`/${body.id}`)).text.slice(0, begin.length)).toBe(begin);
  });

  it('in the reply to a change, alone, and in lists, until it is deleted', async () => {
    const id = await customer.placed();
    const paidAt = new Date('2026-01-01T10:00:00.007Z');
    const shippedAt = new Date('2026-01-02T10:00:00.070Z');
    await order.prisma.order.updateMany({ data: { status: 'CONFIRMED', paidAt, shippedAt } });
    const paid = await customer.get(id);
    expect(paid.text).toContain('"paidAt":"2026-01-01T10:00:00.007Z","shippedAt":"2026-01-02T10:00:00.070Z"');
    expect((await customer.list()).text).toBe(envelope(paid.text));
    await order.prisma.order.updateMany({ data: { shippedAt: null } });
    const { text } = await customer.change(id).expect(200);
    expect(text).toMatch(/"cancelledAt":"[^"]{24}"}$/);
    expect((await customer.cancel(id).expect(200)).text).toBe(text);
    expect((await customer.get(id)).text).toBe(text);
    expect((await customer.list()).text).toBe(envelope(text));
    await customer.remove(id).expect(204);
    expect((await customer.list()).text).toBe(envelope());
  });
});

describe('every route', () => {
  it("returns 404 for another account's order and changes nothing", async () => {
    const id = await customer.placed();
    const before = await rowCounts(order.prisma);
    const { get, change, remove, cancel, cancellation } = as(bob, order);
    const confirm = () => change(id, { status: 'CONFIRMED' });
    for (const call of [get, change, confirm, remove, cancel, cancellation]) expect((await call(id)).status).toBe(404);
    expect(await rowCounts(order.prisma)).toEqual(before);
    expect((await customer.get(id)).body.status).toBe('PENDING');
  });
});
