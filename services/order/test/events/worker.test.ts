import { randomUUID } from 'node:crypto';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { readTopic } from '../../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../../tests/kit/postgres/transaction.ts';
import { useServices } from '../../../../tests/kit/service-process.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, tea, testApp } from '../_app.ts';
import { expectInOrder, outboxOf, relaysOn } from './_relay.ts';

const startService = useServices();
const database = useDatabase('order', 'each');
const order = database.open(testApp);
const customer = as(alice, order);
const outbox = database.open(outboxOf);
const relays = database.open(relaysOn);
const topic = database.open(() => readTopic('order-events'));

const start = () => startService('services/order/src/worker.ts', { DATABASE_URL: database.url });

describe('the order worker', () => {
  it('publishes events that were stored before its start, changes orders on events, and stops cleanly', async () => {
    const [confirmed, cancelled] = [await customer.placed(), await customer.placed()];
    const worker = await start();
    const about = { customerId: alice, items: [{ productId: tea, quantity: 1 }] };
    const paid = { paymentId: randomUUID(), amount: { amount: 4.5, currency: 'USD' } };
    await relays
      .createPublisher()
      .publish('order-events', [
        storedEvent('OrderPaid', { ...about, ...paid, orderId: confirmed }),
        storedEvent('StockRejected', { ...about, orderId: cancelled }),
      ]);
    const statusOf = async (id: string) => (await customer.get(id)).body.status;
    await until('one order is confirmed', async () => (await statusOf(confirmed)) === 'CONFIRMED');
    await until('the other order is cancelled', async () => (await statusOf(cancelled)) === 'CANCELLED');
    await topic.has((await order.prisma.outbox.findMany()).map(({ id }) => id));
    await outbox.untilAllSent();

    await worker.ready();
    expect(await worker.get('/health/live')).toEqual({ status: 200, body: { status: 'UP' } });
    expect((await worker.get('/orders')).status).toBe(404);
    expect(await worker.metrics()).toContain('outbox_published_total 2');
    expect(await worker.end('SIGTERM')).toEqual([0, null]);
  });

  it('killed between publishing and marking loses no event and keeps the order of each key', async () => {
    const ids = await outbox.fill(12_000);
    const stuck = ids[9_000] ?? '';
    // The relay cannot mark the locked row, so it hangs after it has published a batch in the middle.
    await whileHolding(database.url, 'select id from outbox where id = $1 for update', [stuck], async () => {
      // Both at once: a hanging update times out after some seconds, and a busy machine may need longer to start a worker.
      const workers = [await start(), await start()] as const;
      await Promise.all(workers.map((worker) => worker.ready()));
      await topic.has([stuck]);
      const [first, second] = workers[0].isActive() ? workers : ([workers[1], workers[0]] as const);
      expect(await first.metrics()).toContain('outbox_relay_active 1');
      expect(await second.metrics()).toContain('outbox_relay_active 0');
      expect(await outbox.sent()).toBeGreaterThan(0);
      expect(await outbox.sent()).toBeLessThan(9_000);
      expect(await first.end('SIGKILL')).toEqual([null, 'SIGKILL']);
      // Cuts the connection, because the database would otherwise still run the update of the killed relay.
      await until('the other relay is active', async () => (await outbox.cutRelays()) > 0 && second.isActive());
    });

    await topic.has(ids);
    await outbox.untilAllSent();
    const ours = topic.messages.filter(({ headers }) => ids.includes(headers.ce_id ?? ''));
    expect(ours.length).toBeGreaterThan(ids.length); // unmarked events were published twice
    expectInOrder(ours, ids.length);
  });
});
