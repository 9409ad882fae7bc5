import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { parse } from 'yaml';
import { read } from '../../kit/read.ts';
import { type Fixture, retry } from '../_fixture.ts';
import { brokerOf, componentOf, groupNames } from './_consumer-groups.ts';

interface AsyncDocument {
  operations: Record<string, { messages: { $ref: string }[] }>;
}

const { operations }: AsyncDocument = parse(read('docs/asyncapi.yaml'));

/** The groups that handle a kind, according to docs/asyncapi.yaml. */
const groupsHandling = (kind: string) =>
  groupNames.filter((group) => {
    const name = componentOf(group).replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    const handles = operations[`${name}Handles`];
    if (!handles) throw new Error(`docs/asyncapi.yaml does not say what ${name} handles`);
    return handles.messages.some(({ $ref }) => $ref.endsWith(`/${kind}`));
  });

interface Poison {
  kind?: string;
  value(orderId: string): object | string | Buffer;
  /** True if its order is unknown, so that no order of the run is rejected. */
  hasUnknownOrder?: true;
  /** The groups that dead-letter it, if they differ from those that handle its kind. */
  deadLetteredBy?: string[];
}

/** A separate day, because analytics counts an order with an unknown product: only inventory refuses it. */
export const poisonDay = '2001-01-01';
const common = (orderId: string) => ({ orderId, customerId: randomUUID(), timestamp: `${poisonDay}T12:00:00Z` });
const item = () => ({ productId: randomUUID(), quantity: 1 });

export const poisons: Record<string, Poison> = {
  'bad JSON': { kind: 'OrderCreated', value: (orderId) => `{"orderId": "${orderId}", ` },
  'wrong types': { kind: 'OrderPaid', value: (orderId) => ({ ...common(orderId), paymentId: 7, amount: 'a lot' }) },
  'missing fields': { kind: 'StockReserved', value: common },
  'invalid UTF-8': { kind: 'OrderCancelled', value: () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) },
  'unknown product': {
    kind: 'OrderCreated',
    hasUnknownOrder: true,
    value: (orderId) => ({ ...common(orderId), items: [item()], total: { amount: 1, currency: 'USD' } }),
    deadLetteredBy: ['inventory-group'],
  },
  // Without `reason`, a field of other kinds, it would count as an OrderCreated (contract 6.4).
  'no kind': { value: (orderId) => ({ ...common(orderId), reason: 'none' }), deadLetteredBy: groupNames },
  // Not poison: unknown kinds are skipped (contract 6.3).
  'unknown kind': { kind: 'OrderPraised', value: common, deadLetteredBy: [] },
};

/** The groups that dead-letter a poison. */
export function groupsRefusing(name: string): string[] {
  const { kind = '', deadLetteredBy = groupsHandling(kind) } = poisons[name] as Poison;
  return deadLetteredBy;
}

/** The header that marks the test's own messages. */
export const poisonHeader = 'poison';

/** Publishes a poison message with the key of an order, ahead of that order's next events. Retries until it is sent. */
export async function sendPoison(fixture: Fixture, name: string, orderId: string): Promise<void> {
  const { kind, value, hasUnknownOrder } = poisons[name] as Poison;
  const key = hasUnknownOrder ? randomUUID() : orderId;
  const headers = { ce_id: randomUUID(), ...(kind && { ce_type: kind }), [poisonHeader]: name };
  const given = value(key);
  const text = typeof given === 'string' || Buffer.isBuffer(given) ? given : JSON.stringify(given);
  const publisher = createPublisher(brokerOf(fixture));
  try {
    const send = () => publisher.send(orderEventsTopic, [{ key, value: text, headers }]);
    await retry(fixture, send, Number.POSITIVE_INFINITY);
    fixture.report(`poison message sent: ${name}`);
  } finally {
    await publisher.close();
  }
}
