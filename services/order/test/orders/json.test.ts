import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, dust, gold, salt, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);
const customer = as(alice, order);
const record = (path: string) => customer.call('get', `/internal/orders${path}`);

beforeEach(() => order.empty());

/** A list of all orders. */
const envelope = (...content: string[]) =>
  `{"content":[${content}],"page":{"size":20,"number":0,"totalElements":${content.length},"totalPages":${content.length}}}`;

describe('an order is the same text', () => {
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

  it('in the answer to its change, alone, and in lists, where there is none left when it is deleted', async () => {
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
