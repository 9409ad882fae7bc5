import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Decimal } from '@store/shared/values/money';
import { quantile } from 'simple-statistics';
import { storedEvent } from '../../kit/kafka/order-events.ts';
import { tokens } from '../../kit/payments/stripe-account.ts';
import { noFaults } from '../../kit/payments/stripe-faults.ts';
import { until } from '../../kit/until.ts';
import { startInProcess } from './_in-process.ts';

// make test-payments measures; make test sees that no order waits for another.
const isLong = process.env.FAULT_PAYMENTS !== undefined;
const count = isLong ? 600 : 100;
const hangMs = 10_000;

let payments: Awaited<ReturnType<typeof startInProcess>>;
beforeAll(async () => {
  payments = await startInProcess();
});
afterAll(() => payments?.stop());

/** Has orders paid, 20 a second. @returns how long each took, in milliseconds, but for those that met a call that hung */
async function pay(everyHangs: number | undefined): Promise<number[]> {
  const { provider, publish, tokens: known, rows } = payments;
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
  const total = { amount: new Decimal(20), currency: 'USD' };
  const items = [{ productId: randomUUID(), quantity: 1 }];
  for (let index = 0; index < count; index += 1) {
    const orderId = randomUUID();
    known.set(orderId, tokens.good);
    begun.set(orderId, Date.now());
    void publish(storedEvent('StockReserved', { orderId, customerId: randomUUID(), items, total }));
    await wait(50);
  }
  const paidAt = async () =>
    new Map(
      (await rows<{ key: string; at: Date }>(`select key, created_at as at from outbox where kind = 'OrderPaid'`)).map(
        ({ key, at }) => [key, at.getTime()],
      ),
    );
  let paid = new Map<string, number>();
  await until('all are paid', async () => {
    paid = await paidAt();
    return [...begun.keys()].every((orderId) => paid.has(orderId));
  });
  provider.meet(noFaults);
  expect(hung.size > 0).toBe(everyHangs !== undefined);
  return [...begun].flatMap(([orderId, at]) => (hung.has(orderId) ? [] : (paid.get(orderId) ?? 0) - at));
}

it('calls that hang delay no other order', async () => {
  const without = quantile(await pay(undefined), 0.95);
  const others = await pay(100);
  const p95 = quantile(others, 0.95);
  if (isLong) process.stderr.write(`p95 of a payment: ${without} ms; while 1 % of calls hang for 10 s: ${p95} ms\n`);
  expect(Math.max(...others)).toBeLessThan(hangMs / 2);
  if (isLong) expect(p95).toBeLessThan(1.2 * without);
}, 240_000);
