import { groupNames, poisons } from '../inject/_poison.ts';
import { deadLetterId, type Publisher, type RecordedState, type TopicMessage } from './_recorded-state.ts';

/** The kinds that the notification group handles (contract 6.8). */
const notifiedKinds = new Set([
  'OrderCreated',
  'OrderPaid',
  'PaymentFailed',
  'StockRejected',
  'OrderCancelled',
  'PaymentRefunded',
  'OrderShipped',
]);

const byCustomer = 'cancelled by the customer';

/** Every discrepancy between what was published and what the services have recorded of it, in a sentence each. */
export const audit = (state: RecordedState): string[] => [...auditEffects(state), ...auditDeadLetters(state)];

/** As audit, apart from dead letters. */
export const auditEffects = (state: RecordedState): string[] => [
  ...auditPublishing(state),
  ...auditNotifications(state),
  ...auditInvoicesAndFigures(state),
];

/** The number of orders by outcome. */
export function outcomes({ orders }: RecordedState): Record<string, number> {
  const count = (reason: string | null, isPaid: boolean) =>
    orders.filter((order) => order.reason === reason && (order.paidAt !== null) === isPaid).length;
  return {
    shipped: count(null, true),
    'out of stock': count('out of stock', false),
    'payment failed': count('payment failed', false),
    'cancelled unpaid': count(byCustomer, false),
    'cancelled and refunded': count(byCustomer, true),
  };
}

function auditNotifications({ topic, notifications }: RecordedState): string[] {
  const sent = new Set(notifications.map(({ id }) => id));
  return withoutRepeats(topic)
    .filter(({ poison, kind, id }) => poison === undefined && notifiedKinds.has(kind) && !sent.has(id))
    .map(({ kind, key }) => `No notification of ${kind} of order ${key}`);
}

function auditInvoicesAndFigures({ invoices, sales, figures }: RecordedState): string[] {
  const found: string[] = [];
  const gap = invoices.find(({ number }, index) => number !== index + 1);
  if (gap !== undefined) found.push(`Invoice numbers have a gap before ${gap.number}`);
  for (const [name, value] of Object.entries(sales ?? {})) {
    const counted = figures?.[name as keyof typeof figures];
    if (counted !== value) found.push(`Figures: ${name} is ${counted}, but the orders amount to ${value}`);
  }
  return found;
}

/** Every outbox row is published, and the topic has the events of a key in the order in which its publisher wrote them. */
function auditPublishing({ outboxes, topic }: RecordedState): string[] {
  const found: string[] = [];
  const publisherOf = new Map<string, Publisher>();
  for (const { publisher, events } of outboxes) for (const { id } of events) publisherOf.set(id, publisher);
  const published = withoutRepeats(topic);
  for (const { id, kind, key, poison } of published) {
    if (!poison && !publisherOf.has(id)) found.push(`${kind} ${id} of order ${key} was published, but is in no outbox`);
  }
  const read = grouped(published, ({ id, key }) => `${publisherOf.get(id)} ${key}`);
  for (const { publisher, events } of outboxes) {
    for (const [key, own] of grouped(events, (event) => event.key)) {
      const messages = read.get(`${publisher} ${key}`) ?? [];
      const [written, onTopic] = [own, messages].map((list) => list.map(({ kind }) => kind).join(' '));
      if (written !== onTopic) {
        found.push(`Order ${key}: ${publisher} wrote ${written}, the topic has ${onTopic || 'nothing'}`);
      }
      const payloads = new Map(own.map(({ id, payload }) => [id, payload]));
      const changed = messages.find(({ id, value }) => payloads.get(id) !== value);
      if (changed) found.push(`${changed.kind} of order ${key} was published with another payload`);
    }
  }
  for (const [key, messages] of grouped(topic, (message) => message.key)) {
    if (new Set(messages.map(({ partition }) => partition)).size > 1) found.push(`Order ${key} is in two partitions`);
  }
  return found;
}

/** Every group that handles a poison's kind has dead-lettered it, and there are no other dead letters. */
function auditDeadLetters({ topic, deadLetters }: RecordedState): string[] {
  const found: string[] = [];
  const expected = new Set<string>();
  for (const { poison, partition, offset } of topic) {
    if (poison === undefined) continue;
    for (const group of poisons[poison]?.deadLetteredBy ?? groupNames) {
      const id = deadLetterId(group, partition, offset);
      expected.add(id);
      if (!deadLetters.has(id)) found.push(`Dead letter missing: ${id} (${poison})`);
    }
  }
  for (const [id, error] of deadLetters) {
    if (!expected.has(id)) found.push(`Valid event dead-lettered: ${id}: ${error.replace(/\s+/g, ' ')}`);
  }
  for (const name of Object.keys(poisons)) {
    if (!topic.some(({ poison }) => poison === name)) found.push(`Poison never sent: ${name}`);
  }
  return found;
}

/** Without the repetitions of events that were published more than once. */
function withoutRepeats(topic: TopicMessage[]): TopicMessage[] {
  const seen = new Set<string>();
  return topic.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function grouped<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
