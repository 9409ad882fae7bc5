import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafka';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import type { Fixture } from './_fixture.ts';

export const groups = {
  'order-group': 'order-worker',
  'inventory-group': 'inventory',
  'payment-group': 'payment',
  'notification-group': 'notification',
  'analytics-group': 'analytics',
  'invoice-group': 'invoice',
} as const;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

interface Poison {
  kind?: string;
  value(orderId: string): string | Buffer;
  /** Whose dead letters it becomes: those who handle its kind. */
  deadFor: Group[];
}

/** A day of its own, for analytics count what only inventory can see to be wrong. */
export const poisonDay = '2001-01-01';
const common = (orderId: string) => ({ orderId, customerId: randomUUID(), timestamp: `${poisonDay}T12:00:00Z` });

export const poisons: Record<string, Poison> = {
  'bad JSON': {
    kind: 'OrderCreated',
    value: (orderId) => `{"orderId": "${orderId}", `,
    deadFor: ['inventory-group', 'notification-group', 'analytics-group'],
  },
  'wrong types': {
    kind: 'OrderPaid',
    value: (orderId) => JSON.stringify({ ...common(orderId), paymentId: 7, amount: 'a lot' }),
    deadFor: ['order-group', 'inventory-group', 'notification-group', 'analytics-group', 'invoice-group'],
  },
  'missing fields': {
    kind: 'StockReserved',
    value: (orderId) => JSON.stringify(common(orderId)),
    deadFor: ['payment-group'],
  },
  'no UTF-8': {
    kind: 'OrderCancelled',
    value: () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    deadFor: ['inventory-group', 'payment-group', 'notification-group', 'analytics-group'],
  },
  'unknown product': {
    kind: 'OrderCreated',
    value: () =>
      JSON.stringify({
        ...common(randomUUID()),
        items: [{ productId: randomUUID(), quantity: 1 }],
        total: { amount: 1, currency: 'USD' },
      }),
    deadFor: ['inventory-group'],
  },
  'no kind': { value: (orderId) => JSON.stringify(common(orderId)), deadFor: groupNames },
  // No poison at all: what is added later is skipped (spec: Events, rule 6).
  'unknown kind': { kind: 'OrderPraised', value: (orderId) => JSON.stringify(common(orderId)), deadFor: [] },
};

/** The header by which the test knows its poison again. */
export const poisonHeader = 'poison';

/** Writes it under the key of an order, in front of that order's next events; again where the broker is away. */
export async function sendPoison({ store, say, signal }: Fixture, name: string, orderId: string): Promise<void> {
  const { kind, value } = poisons[name] as Poison;
  const log = createLog('test', 'silent');
  const publisher = createPublisher({ brokers: store.kafkaBrokers, clientId: 'test', log });
  const headers = { ce_id: randomUUID(), ...(kind && { ce_type: kind }), [poisonHeader]: name };
  const message = { key: orderId, value: value(orderId), headers };
  try {
    for (let isSent = false; !isSent; ) {
      signal.throwIfAborted();
      isSent = await publisher.send(orderEventsTopic, [message]).then(
        () => true,
        () => false,
      );
    }
    say(`poison: ${name}`);
  } finally {
    await publisher.close();
  }
}
