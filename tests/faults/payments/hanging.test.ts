import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Decimal } from '@store/shared/values/money';
import { quantile } from 'simple-statistics';
import { storedEvent } from '../../kit/kafka/order-events.ts';
import { tokens } from '../../kit/payments/stripe-account.ts';
import { noFaults } from '../../kit/payments/stripe-faults.ts';
import { until } from '../../kit/until.ts';
import { startInProcess } from './_in-process.ts';

const isLong = process.env.FAULT_PAYMENTS !== undefined;
const patience = { timeoutMs: 110_000 };

let payments: Awaited<ReturnType<typeof startInProcess>>;
beforeAll(async () => {
  payments = await startInProcess();
});
afterAll(() => payments?.stop());

/** Has an order paid. @returns its id */
function begin(): string {
  const orderId = randomUUID();
  payments.tokens.set(orderId, tokens.good);
  const total = { amount: new Decimal(20), currency: 'USD' };
  const items = [{ productId: randomUUID(), quantity: 1 }];
  void payments.publish(storedEvent('StockReserved', { orderId, customerId: randomUUID(), items, total }));
  return orderId;
}

/** When orders were paid. */
async function paidAt(): Promise<Map<string, number>> {
  const sql = `select key, created_at as at from outbox where kind = 'OrderPaid'`;
  return new Map((await payments.rows<{ key: string; at: Date }>(sql)).map(({ key, at }) => [key, at.getTime()]));
}

async function untilPaid(orderIds: string[]): Promise<Map<string, number>> {
  let paid = new Map<string, number>();
  const areAllPaid = async () => {
    paid = await paidAt();
    return orderIds.every((orderId) => paid.has(orderId));
  };
  await until('all are paid', areAllPaid, patience);
  return paid;
}

it('orders are paid while all calls for others hang, and those once they do not', async () => {
  const { provider, recorded, endLeases } = payments;
  const hanging = new Set<string>();
  provider.meet(({ orderId = '' }) => (hanging.has(orderId) ? { kind: 'no answer', effect: false } : undefined));
  const others: string[] = [];
  for (let count = 0; count < 60; count += 1) {
    const orderId = begin();
    if (count % 3 === 0) hanging.add(orderId);
    else others.push(orderId);
  }
  await untilPaid(others);
  const statuses = [...(await recorded([...hanging])).values()].map(({ status }) => status);
  expect(statuses).toEqual(Array(20).fill('CHARGING'));
  provider.meet(noFaults);
  const areAllPaid = async () => {
    await endLeases();
    return (await paidAt()).size === 60;
  };
  await until('the others are paid, too', areAllPaid, patience);
});

if (isLong) {
  const hangMs = 10_000;

  /** Has 150 orders paid, 20 a second. @returns how long each took, in milliseconds, but for those that met a call that hung */
  async function pay(everyHangs: number | undefined): Promise<number[]> {
    const { provider } = payments;
    await provider.clear();
    const hung = new Set<string>();
    let calls = 0;
    provider.meet(({ orderId }) => {
      calls += 1;
      if (everyHangs === undefined || calls % everyHangs !== 0 || orderId === undefined) return undefined;
      hung.add(orderId);
      return { kind: 'slow', ms: hangMs };
    });
    const begun = new Map<string, number>();
    while (begun.size < 150) {
      begun.set(begin(), Date.now());
      await wait(50);
    }
    const paid = await untilPaid([...begun.keys()]);
    provider.meet(noFaults);
    expect(hung.size > 0).toBe(everyHangs !== undefined);
    return [...begun].flatMap(([orderId, at]) => (hung.has(orderId) ? [] : (paid.get(orderId) ?? 0) - at));
  }

  it('while 1 % of calls hang for 10 s, the p95 of the other orders is at most 1.2 × the p95 without', async () => {
    const without: number[] = [];
    const others: number[] = [];
    await pay(undefined);
    // By turns, since the machine may become slower or faster.
    for (let turn = 0; turn < 4; turn += 1) {
      without.push(...(await pay(undefined)));
      others.push(...(await pay(100)));
    }
    const [before, after] = [quantile(without, 0.95), quantile(others, 0.95)];
    process.stderr.write(`p95 of a payment: ${before} ms; while 1 % of calls hang for 10 s: ${after} ms\n`);
    expect(after).toBeLessThan(1.2 * before);
  }, 600_000);
}
