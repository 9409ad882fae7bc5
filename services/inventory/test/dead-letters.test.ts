import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import { listDeadLetters } from '@store/shared/messaging/consumer/redrive';
import { createKafka } from '@store/shared/messaging/kafka/client';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { createLog } from '@store/shared/observability/log';
import { brokers, createTopic } from '../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { fakeOrders, orderOf, testInventory, unknown } from './_inventory.ts';

const orders = fakeOrders();
const database = useDatabase('inventory');
const inventory = database.open((url) => testInventory(url, { orders }));

const broker = { brokers, clientId: 'inventory', log: createLog('inventory', 'silent') };

it.each([
  ['without an order', false],
  ['of an existing order', true],
])('an unknown product %s goes straight to the dead-letter topic', async (_, isOrdered) => {
  const topic = await createTopic(1);
  const sender = database.closeLater(createPublisher(broker));
  const group = { ...inventory.group, name: `inventory-${randomUUID()}` };
  const consumer = startConsumer({
    group,
    database: inventory.database,
    topics: [topic],
    connect: (signal) => createKafka({ ...broker, signal }),
    sender,
    // So long that a second attempt would come too late for this test.
    retry: { attempts: 3, firstDelayMs: 600_000, multiplier: 2 },
    log: broker.log,
  });
  database.closeLater({ close: consumer.stop });
  const order = orderOf([unknown, 1]);
  if (isOrdered) orders.know(order);
  await sender.publish(topic, [order.created()]);
  const letters = async () => (await listDeadLetters({ broker, group, database: inventory.database })).letters;
  await until('there is a dead letter', async () => (await letters()).length > 0);
  const error = expect.stringContaining(`There is no product ${unknown}`);
  expect(await letters()).toMatchObject([{ attempts: 1, error, message: { key: order.orderId } }]);
  expect(await inventory.statusOf(order.orderId)).toBe(isOrdered ? 'REJECTED' : undefined);
});
