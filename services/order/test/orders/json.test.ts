import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, dust, gold, salt, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);
const customer = as(alice, order);
const record = (path: string) => customer.call('get', `/internal/orders${path}`);

beforeEach(() => order.empty());

/** A list of all orders. */
const envelope = (content: string[]) =>
  `{"content":[${content}],"page":{"size":20,"number":0,"totalElements":${content.length},"totalPages":${content.length}}}`;

describe('an order is the same text', () => {
  it.each([
    ['one line', [{ productId: tea, quantity: 2 }]],
    ['exact decimals', [tea, salt, gold, dust].map((productId, index) => ({ productId, quantity: 3 + index }))],
    ['the largest total', [{ productId: gold, quantity: 10_000 }]],
    ['a total of 0', [{ productId: dust, quantity: 1 }]],
  ])('with %s, when it is placed, alone, and in lists', async (_name, items) => {
    const { text, body } = await customer.place({ items }).expect(201);
    expect(text).not.toMatch(/\s/);
    expect((await customer.get(body.id)).text).toBe(text);
    expect((await customer.list()).text).toBe(envelope([text]));
    expect((await record(`?accountId=${alice}`)).text).toBe(`[${text}]`);
    const begin = `${text.slice(0, -1)},"cancelReason":null,"deletedAt":null,"events":[{`;
    expect((await record(`/${body.id}`)).text.slice(0, begin.length)).toBe(begin);
  });

  it('in the answer to its change, alone, and in lists', async () => {
    const id = await customer.placed();
    await order.prisma.order.updateMany({
      data: { status: 'CONFIRMED', paidAt: new Date('2026-01-01T10:00:00.007Z'), updatedAt: new Date() },
    });
    const paid = await customer.get(id);
    expect(paid.text).toContain('"paidAt":"2026-01-01T10:00:00.007Z"');
    expect((await customer.list()).text).toBe(envelope([paid.text]));
    const { text } = await customer.change(id).expect(200);
    expect(text).toMatch(/"cancelledAt":"[^"]{24}"}$/);
    expect((await customer.cancel(id).expect(200)).text).toBe(text);
    expect((await customer.get(id)).text).toBe(text);
    expect((await customer.list()).text).toBe(envelope([text]));
  });

  it('of which there is none in an empty page, which has no blanks either', async () => {
    expect((await customer.list()).text).toBe(envelope([]));
  });
});
