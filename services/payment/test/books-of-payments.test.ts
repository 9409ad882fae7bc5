import { randomUUID } from 'node:crypto';
import { Decimal } from '@store/shared/values/money';
import fc from 'fast-check';
import { storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { bookUnbooked } from '../src/books/opening-repository.ts';
import { aboveLimit, alice, fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';
import { tell } from './_refunds.ts';

let provider: ReturnType<typeof fakeProvider>;
let orderId: string;

beforeEach(() => {
  provider = fakeProvider();
  orderId = randomUUID();
});

const database = useDatabase('payment', 'each');
const payment = database.open((url) => testPayments(url, { provider }), 'each');

const orderShipped = (id: string) =>
  storedEvent('OrderShipped', { orderId: id, customerId: alice, shipmentId: randomUUID() });

/** Balances as they are added up from all lines, without those that are zero. */
async function balances(): Promise<Record<string, number>> {
  const rows = await queryOnce<{ account: string; amount: string }>(
    database.url,
    'select account, sum(amount)::text as amount from entry_lines group by account having sum(amount) <> 0',
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, Number(amount)]));
}

const kinds = async () =>
  (await queryOnce<{ kind: string }>(database.url, 'select kind from entries order by at, kind')).map(
    ({ kind }) => kind,
  );

describe('the books', () => {
  it('have a charge with OrderPaid, and nothing of a decline', async () => {
    await payment.apply(stockReserved(orderId), stockReserved(randomUUID(), aboveLimit));
    expect(await balances()).toEqual({ provider: 999, unearned: -999 });
    expect(await kinds()).toEqual(['charge']);
    expect(await payment.prisma.payment.findUnique({ where: { orderId } })).toMatchObject({ booked: 'PAID' });
  });

  it('have a charge only if the payment is committed', async () => {
    const refuse = 'create function refuse() returns trigger language plpgsql as $$ begin raise $x$refused$x$; end $$;';
    const trigger =
      'create constraint trigger refuse after insert on outbox initially deferred for each row execute function refuse()';
    await queryOnce(database.url, refuse + trigger);
    payment.startJobs();
    await payment.handle(stockReserved(orderId));
    await until('the charge was made', () => provider.charges.length > 0);
    expect(await kinds()).toEqual([]);
    await queryOnce(database.url, 'drop function refuse() cascade');
    await payment.apply(stockReserved(orderId));
    expect(await kinds()).toEqual(['charge']);
  });

  it('have the shipment of an order once, however often it is announced', async () => {
    await payment.apply(stockReserved(orderId));
    const event = orderShipped(orderId);
    await payment.handle(event);
    await payment.handle(event);
    await payment.handle(orderShipped(orderId));
    expect(await balances()).toEqual({ provider: 999, revenue: -999 });
    expect(await kinds()).toEqual(['charge', 'shipment']);
  });

  it('have the tax of each rate with the shipment, and nothing of it with a cancellation', async () => {
    const taxes = [
      { permille: 0, gross: new Decimal('3.00') },
      { permille: 230, gross: new Decimal('6.99') },
    ];
    await payment.apply(stockReserved(orderId, '9.99', { taxes }));
    await payment.handle(orderShipped(orderId));
    expect(await balances()).toEqual({ provider: 999, revenue: -868, tax: -131 });

    const cancelled = randomUUID();
    await payment.apply(stockReserved(cancelled, '9.99', { taxes }));
    await payment.apply(orderCancelled(cancelled));
    expect(await balances()).toEqual({ provider: 999, revenue: -868, tax: -131 });
  });

  it('have nothing of the shipment of an unknown order', async () => {
    await payment.handle(orderShipped(orderId));
    expect(await kinds()).toEqual([]);
  });

  it('have nothing left of a cancelled order, also if the cancellation is repeated', async () => {
    await payment.apply(stockReserved(orderId));
    await payment.apply(orderCancelled(orderId));
    await payment.apply(orderCancelled(orderId));
    expect(await balances()).toEqual({});
    expect(await kinds()).toEqual(['charge', 'refund']);
  });

  it('add chunks of orders together', async () => {
    const ids = Array.from({ length: 30 }, () => randomUUID() as string);
    await payment.apply(...ids.map((id) => stockReserved(id, '10')));
    await payment.handle(...ids.slice(0, 20).map(orderShipped));
    await payment.apply(...ids.slice(20, 25).map((id) => orderCancelled(id)));
    expect(await balances()).toEqual({ provider: 25000, revenue: -20000, unearned: -5000 });
  });
});

/** What happens at the provider to a payment. `part` is a share of what is left, in thousandths, or says which refund fails. */
const fact = fc.record({
  what: fc.constantFrom('refund', 'refund', 'fail', 'ship'),
  part: fc.integer({ min: 1, max: 1000 }),
});
const facts = fc.array(fact, { minLength: 2, maxLength: 10 });
/** Gross amounts at two rates, in cents. */
const grossAmounts = fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 2_000 }));

it('a refund that fails is reversed to the cent, and what is returned in the end leaves no tax', async () => {
  const linesOf = async (kind: string) => {
    const rows = await queryOnce<{ account: string; amount: string }>(
      database.url,
      `select account, amount::text as amount from entry_lines
       where entry = (select id from entries where order_id = '${orderId}' and kind = '${kind}' order by at desc limit 1)
       order by account`,
    );
    return rows.map(({ account, amount }) => [account, Number(amount)] as const);
  };
  const taxLeft = async () => {
    const [row] = await queryOnce<{ tax: number }>(
      database.url,
      `select (coalesce((select tax from unearned where order_id = '${orderId}'), 0) - coalesce((
         select sum(amount) from entries join entry_lines on entry = id where order_id = '${orderId}' and account = 'tax'), 0))::float8 as tax`,
    );
    return row?.tax;
  };
  const run = async (gross: [number, number], all: { what: string; part: number }[]) => {
    orderId = randomUUID();
    const whole = gross[0] + gross[1];
    const cents = (amount: number) => new Decimal(amount).div(100);
    const taxes = [230, 55].map((permille, index) => ({ permille, gross: cents(gross[index] ?? 0) }));
    await payment.apply(stockReserved(orderId, cents(whole).toFixed(2), { taxes }));
    const tax = await taxLeft();
    const refunds: {
      id: string;
      amount: bigint;
      state: 'succeeded' | 'failed';
      isShipped: boolean;
      lines: Awaited<ReturnType<typeof linesOf>>;
    }[] = [];
    const live = () => refunds.filter(({ state }) => state === 'succeeded');
    const left = () => live().reduce((rest, { amount }) => rest - amount, BigInt(whole));
    let isShipped = false;
    let time = Date.now();
    const say = () =>
      tell(
        payment,
        orderId,
        ({ recordOutside }, traceparent) => {
          const told = refunds.map(({ id, amount, state }) => ({ id, amount, state, stepId: undefined }));
          recordOutside(orderId, { refunds: told, disputes: [] }, traceparent);
        },
        new Date(time++),
      );
    const refund = async (amount: bigint) => {
      const one = { id: randomUUID(), amount, state: 'succeeded' as const, isShipped, lines: [] };
      refunds.push(one);
      await say();
      Object.assign(one, { lines: await linesOf('refund') });
    };
    const fail = async (one: (typeof refunds)[number]) => {
      one.state = 'failed';
      await say();
      if (one.isShipped === isShipped)
        expect(await linesOf('refund-failed')).toEqual(one.lines.map(([account, amount]) => [account, -amount]));
    };
    for (const { what, part } of all) {
      const amount = (left() * BigInt(part)) / 1000n;
      const failing = live()[part % Math.max(live().length, 1)];
      if (what === 'refund' && amount > 0n) await refund(amount);
      if (what === 'fail' && failing !== undefined) await fail(failing);
      if (what === 'ship' && !isShipped) {
        await payment.handle(orderShipped(orderId));
        isShipped = true;
      }
    }
    if (left() > 0n) await refund(left());
    expect(await taxLeft()).toBe(0);
    for (const one of live()) await fail(one);
    expect(await taxLeft()).toBe(tax);
  };
  await fc.assert(fc.asyncProperty(grossAmounts, facts, run), { numRuns: 40 });
});

describe('payments from before the books', () => {
  const earlier = new Date('2026-01-02T03:04:05.678Z');
  const store = (id: string, status: 'PAID' | 'REFUNDED' | 'CHARGING') =>
    payment.prisma.payment.create({
      data: {
        ...{
          orderId: id,
          customerId: alice,
          status,
          amount: '9.99',
          currency: 'USD',
          createdAt: earlier,
          updatedAt: earlier,
        },
        ...(status !== 'CHARGING' && { paymentId: randomUUID() }),
      },
    });
  const unbooked = () =>
    payment.prisma.payment.count({ where: { status: { in: ['PAID', 'REFUNDED'] }, booked: null } });
  const booked = () => until('all are booked', async () => (await unbooked()) === 0);

  it('are booked once by a job, paid and refunded ones, by two processes at once', async () => {
    const [paid, refunded, charging] = [orderId, randomUUID(), randomUUID()];
    await store(paid, 'PAID');
    await store(refunded, 'REFUNDED');
    await store(charging, 'CHARGING');
    const other = database.closeLater(testPayments(database.url, { provider }));
    payment.startJobs();
    other.startJobs();
    await booked();
    expect(await balances()).toEqual({ provider: 999, unearned: -999 });
    expect(await kinds()).toEqual(['charge', 'charge', 'refund']);
    const times = await queryOnce<{ at: Date }>(database.url, 'select distinct at from entries');
    expect(times).toEqual([{ at: earlier }]);

    // From now on they are as any other.
    await payment.handle(orderShipped(paid));
    expect(await balances()).toEqual({ provider: 999, revenue: -999 });
  });

  it('are earned with their tax if order says that they were shipped, once by two processes, and not before', async () => {
    const shippedAt = '2026-02-03T04:05:06.789Z';
    const [shipped, unshipped] = [orderId, randomUUID()];
    for (const id of [shipped, unshipped]) await store(id, 'PAID');
    const taxes = [{ permille: 230, gross: '9.99' }];
    await payment.prisma.payment.updateMany({ data: { taxes } });
    // More than are asked about at once.
    const many = Array.from({ length: 120 }, () => randomUUID() as string);
    for (const id of many) await store(id, 'PAID');
    const asked: string[][] = [];
    const orders = {
      async shipped(ids: string[]) {
        asked.push(ids);
        if (asked.length === 1) throw new Error('Order does not answer');
        return ids.filter((id) => id !== unshipped).map((orderId) => ({ orderId, at: shippedAt }));
      },
    };
    await payment.database.inTransaction(bookUnbooked);
    for (let count = 0; count < 2; count += 1)
      database.closeLater(testPayments(database.url, { provider, orders })).startJobs();
    await until('all but one are shipped', async () => (await payment.prisma.unearned.count()) === 1);
    expect(await balances()).toEqual({ provider: 999 * 122, unearned: -999, revenue: -812 - 999 * 120, tax: -187 });
    expect(Math.max(...asked.map((ids) => ids.length))).toBe(100);
    const shipments = await payment.prisma.entry.findMany({ where: { kind: 'shipment' } });
    expect(shipments).toHaveLength(121);
    expect(new Set(shipments.map(({ at }) => at.toISOString()))).toEqual(new Set([shippedAt]));
    // Its event comes late.
    await payment.handle(orderShipped(shipped), orderShipped(unshipped));
    expect(await balances()).toEqual({ provider: 999 * 122, revenue: -812 * 2 - 999 * 120, tax: -187 * 2 });
  });

  it('that a replica of the previous release pays or refunds meanwhile are booked too', async () => {
    await payment.apply(stockReserved(orderId));
    await queryOnce(database.url, `update payments set status = 'REFUNDED' where order_id = '${orderId}'`);
    const again = database.closeLater(testPayments(database.url, { provider }));
    again.startJobs();
    await until('it is booked', async () => (await kinds()).length === 2);
    expect(await balances()).toEqual({});
  });
});
