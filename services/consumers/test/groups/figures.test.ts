import { randomUUID } from 'node:crypto';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { lockedOutOfOrder, planWithoutOrder } from '../../../../tests/kit/postgres/transaction.ts';
import { customerId } from '../consumer/_fixture.ts';
import { allOf, cancelled, paid, testGroup } from './_group.ts';

const order = (orderId = randomUUID()) => ({ orderId, customerId });
const usd = (amount: number) => ({ amount, currency: 'USD' }) as never;
const created = (timestamp: string) => storedEvent('OrderCreated', { ...order(), timestamp });
const paidOn = (timestamp: string, amount = usd(10)) => paid({ timestamp, amount });
const refunded = (timestamp: string, amount = usd(10)) =>
  storedEvent('PaymentRefunded', { ...order(), paymentId: randomUUID(), amount, timestamp });

const none = { orders: 0, paid: 0, cancelled: 0, refunded: 0, revenue: [], refunds: [] };

describe('figures', () => {
  const database = useDatabase('consumers', 'each');
  const analytics = database.open((url) => testGroup(url, 'analytics-group'));
  const figures = async () => (await analytics.get('/figures')).body;

  it('count events per UTC day of their timestamp', async () => {
    const first = created('2026-03-01T00:00:00.000Z');
    await analytics.handle(
      first,
      first, // a repeated event counts once
      created('2026-03-01T23:59:59.999Z'),
      created('2026-03-02T01:00:00.000+02:00'), // 1 March in UTC
      created('2026-03-02T00:00:00.000Z'),
      cancelled({ timestamp: '2026-03-02T12:00:00.000Z' }),
    );
    await analytics.handle(paidOn('2026-03-01T10:00:00.000Z'), refunded('2026-03-03T00:00:00.000Z'));
    const { content, page } = await figures();
    expect(content).toEqual([
      { ...none, day: '2026-03-03', refunded: 1, refunds: [usd(10)] },
      { ...none, day: '2026-03-02', orders: 1, cancelled: 1 },
      { ...none, day: '2026-03-01', orders: 3, paid: 1, revenue: [usd(10)] },
    ]);
    expect(page).toEqual({ size: 20, number: 0, totalElements: 3, totalPages: 1 });
  });

  it('count refunded parts once, also if their order is cancelled later', async () => {
    const timestamp = '2026-03-01T10:00:00.000Z';
    const part = storedEvent('RefundIssued', {
      ...order(),
      refundId: randomUUID(),
      paymentId: randomUUID(),
      amount: usd(4),
      timestamp,
    });
    const rest = { ...order(), paymentId: randomUUID(), amount: usd(10), remainder: usd(6), timestamp };
    await analytics.handle(part, part, storedEvent('PaymentRefunded', rest));
    const { content } = await figures();
    expect(content).toEqual([{ ...none, day: '2026-03-01', refunded: 1, refunds: [usd(10)] }]);
  });

  const placed = (id = randomUUID()) => ({ orderId: id, customerId });
  const items = [{ productId: randomUUID(), quantity: 1 }];
  const day = (n: number) => `2026-03-0${n}T12:00:00.000Z`;
  type Placed = ReturnType<typeof placed> & { timestamp: string };
  const outOfStock = (order: Placed) => storedEvent('StockRejected', { ...order, items });
  const declined = (order: Placed) => storedEvent('PaymentFailed', { ...order, reason: 'declined' });
  const released = (order: Placed) => storedEvent('StockReleased', { ...order, items, reason: 'payment failed' });
  const byOwner = (order: Placed) => storedEvent('OrderCancelled', { ...order, reason: 'cancelled by the customer' });
  const timedOut = (order: Placed) => storedEvent('OrderCancelled', { ...order, reason: 'not confirmed in time' });

  /** Events of an order that ends as CANCELLED. They may come in any sequence. */
  const ways = {
    'out of stock': [outOfStock],
    declined: [declined, released],
    'declined, announced by another producer': [released],
    'timed out': [timedOut, released],
    'by its owner': [byOwner, released],
    'by its owner while it was out of stock': [byOwner, outOfStock],
    'by its owner while its payment was declined': [declined, byOwner, released],
  };

  it.each(Object.entries(ways))('count an order that is cancelled once: %s', async (_, events) => {
    const [together, reversed, apart] = [placed(), placed(), placed()].map((order) => ({
      ...order,
      timestamp: day(1),
    }));
    if (!together || !reversed || !apart) throw new Error('There are three.');
    await analytics.handle(...events.map((event) => event(together)));
    await analytics.handle(...events.toReversed().map((event) => event(reversed)));
    const alone = events.map((event) => event(apart));
    for (const event of [...alone, ...alone]) await analytics.handle(event);
    expect((await figures()).content).toEqual([{ ...none, day: '2026-03-01', cancelled: 3 }]);
  });

  it('count a cancelled order once if its events come in many transactions at once', async () => {
    const orders = Array.from({ length: 20 }, () => ({ ...placed(), timestamp: day(1) }));
    await Promise.all(
      [byOwner, outOfStock, declined, released].map((event, index) =>
        analytics.handle(...(index % 2 === 0 ? orders : orders.toReversed()).map(event)),
      ),
    );
    expect((await figures()).content).toEqual([{ ...none, day: '2026-03-01', cancelled: 20 }]);
  });

  it('sum money exactly per currency', async () => {
    const day = '2026-03-01T10:00:00.000Z';
    const jpy = { amount: 500, currency: 'JPY' } as never;
    await analytics.handle(paidOn(day, usd(0.1)), paidOn(day, usd(0.2)), paidOn(day, jpy), refunded(day, jpy));
    await analytics.handle(...Array.from({ length: 10 }, () => paidOn(day, usd(99_999_999.99))));
    const { text } = await analytics.get('/figures');
    expect(text).toContain(
      '"revenue" : [{"amount" : 500, "currency" : "JPY"}, {"amount" : 1000000000.2, "currency" : "USD"}]',
    );
    expect(JSON.parse(text).content[0].refunds).toEqual([jpy]);
  });

  it('are correct, without deadlocks, if many transactions update the same days concurrently', async () => {
    const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}T12:00:00.000Z`;
    // Fewer at once than there are connections: on a busy machine one that waits for a connection gives up.
    await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        for (let round = 1; round <= 8; round += 1) {
          const events = [1, 2, 3, 4, 5].flatMap((n) => [created(day(n)), paidOn(day(n))]);
          await analytics.handle(...(index % 2 === 0 ? events : events.reverse()));
        }
      }),
    );
    const all = await allOf<object>(analytics, '/figures?size=2&sort=day,asc');
    expect(all).toEqual(
      [1, 2, 3, 4, 5].map((n) => ({ ...none, day: day(n).slice(0, 10), orders: 40, paid: 40, revenue: [usd(400)] })),
    );
  });

  it.each([
    { table: 'daily_figures', key: 'day::text', suffix: '' },
    { table: 'daily_amounts', key: "day || ' ' || currency", suffix: ' USD' },
  ])('are added in order of day under any query plan: $table', async ({ suffix, ...rows }) => {
    const days = Array.from({ length: 28 }, (_, n) => `2026-03-${String(n + 1).padStart(2, '0')}`);
    const events = () => days.toReversed().map((day) => paidOn(`${day}T12:00:00.000Z`));
    await analytics.handle(...events());
    await planWithoutOrder(database.url);
    const { handle } = database.closeLater(testGroup(database.url, 'analytics-group'));
    const keys = days.map((day) => day + suffix);
    expect(await lockedOutOfOrder(database.url, rows, keys, () => handle(...events()))).toEqual([]);
    expect((await figures()).content[0]).toMatchObject({ paid: 2 });
  });
});
