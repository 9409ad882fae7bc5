import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { parse } from 'yaml';
import { root } from '../../../tools/paths.ts';
import { topology } from '../../../tools/topology/topology.ts';
import type { Fixture } from '../_fixture.ts';

export const groupNames = Object.keys(topology.groups);

interface AsyncDocument {
  operations: Record<string, { messages: { $ref: string }[] }>;
}

const { operations }: AsyncDocument = parse(readFileSync(join(root, 'docs/asyncapi.yaml'), 'utf8'));

/** Groups that handle a kind, as the document of the events says. */
const groupsHandling = (kind: string) =>
  groupNames.filter((group) => {
    const name = topology.groups[group]?.name ?? '';
    const handles = operations[`${name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}Handles`];
    if (!handles) throw new Error(`docs/asyncapi.yaml does not say what ${name} handles`);
    return handles.messages.some(({ $ref }) => $ref.endsWith(`/${kind}`));
  });

interface Poison {
  kind?: string;
  value(orderId: string): string | Buffer;
  /** True if its order is unknown, so that no order of the run is rejected. */
  isOfNobody?: true;
  /** The groups that dead-letter it: those that handle its kind. */
  deadLetteredBy: string[];
}

/** A day of its own, because analytics counts an order with an unknown product: only inventory refuses that. */
export const poisonDay = '2001-01-01';
const common = (orderId: string) => ({ orderId, customerId: randomUUID(), timestamp: `${poisonDay}T12:00:00Z` });

export const poisons: Record<string, Poison> = {
  'bad JSON': {
    kind: 'OrderCreated',
    value: (orderId) => `{"orderId": "${orderId}", `,
    deadLetteredBy: groupsHandling('OrderCreated'),
  },
  'wrong types': {
    kind: 'OrderPaid',
    value: (orderId) => JSON.stringify({ ...common(orderId), paymentId: 7, amount: 'a lot' }),
    deadLetteredBy: groupsHandling('OrderPaid'),
  },
  'missing fields': {
    kind: 'StockReserved',
    value: (orderId) => JSON.stringify(common(orderId)),
    deadLetteredBy: groupsHandling('StockReserved'),
  },
  'invalid UTF-8': {
    kind: 'OrderCancelled',
    value: () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    deadLetteredBy: groupsHandling('OrderCancelled'),
  },
  'unknown product': {
    kind: 'OrderCreated',
    isOfNobody: true,
    value: (orderId) =>
      JSON.stringify({
        ...common(orderId),
        items: [{ productId: randomUUID(), quantity: 1 }],
        total: { amount: 1, currency: 'USD' },
      }),
    deadLetteredBy: ['inventory-group'],
  },
  'no kind': { value: (orderId) => JSON.stringify({ ...common(orderId), more: 1 }), deadLetteredBy: groupNames },
  // Not poison: unknown kinds are skipped (contract 6.3).
  'unknown kind': { kind: 'OrderPraised', value: (orderId) => JSON.stringify(common(orderId)), deadLetteredBy: [] },
};

/** The header that marks the test's own messages. */
export const poisonHeader = 'poison';

/** Publishes a poison message with the key of an order, ahead of that order's next events. Retries until it is sent. */
export async function sendPoison({ store, report, signal }: Fixture, name: string, orderId: string): Promise<void> {
  const { kind, value, isOfNobody } = poisons[name] as Poison;
  const key = isOfNobody ? randomUUID() : orderId;
  const log = createLog('test', 'silent');
  const publisher = createPublisher({ brokers: store.kafkaBrokers, clientId: 'test', log });
  const headers = { ce_id: randomUUID(), ...(kind && { ce_type: kind }), [poisonHeader]: name };
  const message = { key, value: value(key), headers };
  try {
    for (let isSent = false; !isSent; ) {
      signal.throwIfAborted();
      isSent = await publisher.send(orderEventsTopic, [message]).then(
        () => true,
        () => false,
      );
    }
    report(`poison message sent: ${name}`);
  } finally {
    await publisher.close();
  }
}
