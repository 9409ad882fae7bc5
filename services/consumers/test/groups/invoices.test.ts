import { randomUUID } from 'node:crypto';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { customerId } from '../consumer/_fixture.ts';
import { paginate, testGroup } from './_group.ts';

const database = useDatabase('consumers', 'each');
const invoices = database.open((url) => testGroup(url, 'invoice-group'));

interface Invoice {
  number: number;
  orderId: string;
}

const paid = (orderId: string = randomUUID(), amount = 12.5) =>
  storedEvent('OrderPaid', {
    orderId,
    customerId,
    paymentId: randomUUID(),
    timestamp: '2026-03-01T10:00:00.000Z',
    amount: { amount, currency: 'USD' } as never,
  });

test('a paid order gets a complete invoice', async () => {
  const event = paid();
  await invoices.handle(event);
  const { body } = await invoices.get(`/invoices?orderId=${event.key}`);
  expect(body.content).toEqual([
    {
      number: 1,
      orderId: event.key,
      customerId,
      paymentId: JSON.parse(event.payload).paymentId,
      amount: { amount: 12.5, currency: 'USD' },
      paidAt: '2026-03-01T10:00:00.000Z',
      createdAt: expect.any(String),
    },
  ]);
});

test('an order gets one invoice, even when events are repeated', async () => {
  const event = paid();
  await invoices.handle(event, event, paid(event.key));
  await invoices.handle(event);
  await invoices.handle(paid(event.key), paid());
  const all = await paginate<Invoice>(invoices, '/invoices?sort=number,asc');
  expect(all.map(({ number }) => number)).toEqual([1, 2]);
  expect(all[0]?.orderId).toBe(event.key);
});

test('invoice numbers have no gaps despite rollbacks and concurrent writers', async () => {
  const other = testGroup(database.url, 'invoice-group');
  const broken = paid(undefined, 1);
  const brokenToo = { ...broken, payload: broken.payload.replace('"USD"', '"US"') };
  // Fewer than the pool has connections, because waiting for one too long is an error.
  const writers = (count: number, times: number, write: () => Promise<unknown>) =>
    Array.from({ length: count }, async () => {
      for (let time = 0; time < times; time += 1) await write();
    });
  const results = await Promise.allSettled([
    ...writers(5, 6, () => invoices.handle(paid(), paid(), paid())),
    ...writers(5, 6, () => other.handle(paid())),
    ...writers(2, 5, () =>
      other.prisma
        .$transaction(async (tx) => {
          await tx.$executeRaw`update invoice_counter set last_number = last_number + 1`;
          throw new Error('rolled back');
        })
        .catch(() => undefined),
    ),
    (async () => invoices.handle(brokenToo))(),
  ]);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await other.close();
  const all = await paginate<Invoice>(invoices, '/invoices?size=17&sort=number,asc');
  expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(new Set(all.map(({ orderId }) => orderId)).size).toBe(120);
});

test('invoices of one transaction are numbered in the order of their events', async () => {
  const events = Array.from({ length: 20 }, () => paid());
  await invoices.handle(...events);
  const all = await paginate<Invoice>(invoices, '/invoices?sort=number,asc');
  expect(all.map(({ orderId }) => orderId)).toEqual(events.map(({ key }) => key));
});

test('invoices are listed newest first, by page number and by cursor', async () => {
  await invoices.handle(...Array.from({ length: 5 }, () => paid()));
  const numbers = async (path: string) => (await invoices.get(path)).body.content.map(({ number }: Invoice) => number);
  expect(await numbers('/invoices?size=2')).toEqual([5, 4]);
  expect(await numbers('/invoices?size=2&page=1')).toEqual([3, 2]);
  expect(await numbers('/invoices?size=2&page=2')).toEqual([1]);
  expect(await numbers('/invoices?size=2&page=3')).toEqual([]);
  expect((await paginate<Invoice>(invoices, '/invoices?size=2')).map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
});
