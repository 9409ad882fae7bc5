import { payloads } from '@store/shared/messaging/events';
import { deliveryId } from '../../../services/consumers/src/groups/webhook/standard-ids.ts';
import { cents } from '../history/_history.ts';
import { groupsRefusing, poisons } from '../inject/_poison.ts';
import type { Heard } from '../load/_receiver.ts';
import { deadLetterId, type RecordedState, type TopicMessage } from './_recorded-state.ts';

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

/** Returns a sentence for each discrepancy between the published events and what the services recorded of them. */
export const audit = (state: RecordedState): string[] => [...auditEffects(state), ...auditDeadLetters(state)];

/** Like `audit`, but without dead letters. */
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

/** Checks that the receiver has heard of every event, numbered as in the topic (contract 4.22). */
export function auditWebhook({ topic, orders }: RecordedState, { webhookId, accepted }: Heard): string[] {
  const known = new Set(orders.map(({ id }) => id));
  const told = withoutRepeats(topic).filter(
    ({ poison, kind, key }) => poison === undefined && kind in payloads && known.has(key),
  );
  return [...Map.groupBy(told, ({ key }) => key)].flatMap(([key, events]) =>
    events.flatMap(({ id, kind }, index) => {
      const numbers = [...(accepted.get(deliveryId(webhookId, id))?.sequences ?? [])].join(' and ');
      const expected = String(index + 1);
      return numbers === expected
        ? []
        : `The webhook heard of ${kind} of order ${key} as ${numbers || 'nothing'}, not as ${expected}`;
    }),
  );
}

function auditInvoicesAndFigures({ invoices, creditNotes, orders, figures, topic }: RecordedState): string[] {
  const paid = orders.filter(({ paidAt }) => paidAt !== null);
  const refunded = paid.filter(({ status }) => status === 'CANCELLED');
  const sum = (some: typeof orders) => some.reduce((all, { total }) => all + cents(total), 0);
  // The order of a poison message with an unknown product exists in no service but is also rejected.
  const known = new Set(orders.map(({ id }) => id));
  const ofNobody = new Set(topic.flatMap(({ kind, key }) => (kind === 'StockRejected' && !known.has(key) ? key : [])));
  const expected = {
    orders: orders.length,
    paid: paid.length,
    cancelled: orders.filter(({ status }) => status === 'CANCELLED').length + ofNobody.size,
    refunded: refunded.length,
    revenue: sum(paid),
    refunds: sum(refunded),
  };
  const wrong = Object.entries(expected).filter(([name, value]) => figures[0]?.[name] !== value);
  const credited = new Set(creditNotes.map(({ orderId, amount }) => `${orderId} ${cents(amount)}`));
  const uncredited = refunded.filter(({ id, total }) => !credited.has(`${id} ${cents(total)}`));
  return [
    ...gaps('Invoice', invoices),
    ...gaps('Credit note', creditNotes),
    ...uncredited.map(({ id }) => `Order ${id} was refunded, but has no credit note of its total`),
    ...wrong.map(([name, value]) => `Figures: ${name} is ${figures[0]?.[name]}, but the orders amount to ${value}`),
  ];
}

function gaps(document: string, numbered: { number: number }[]): string[] {
  const gap = numbered.find(({ number }, index) => number !== index + 1);
  return gap === undefined ? [] : [`${document} numbers have a gap before ${gap.number}`];
}

/** Checks that every outbox row is published, and that the topic has the events of a key in the order in which they were written. */
function auditPublishing({ outboxes, topic }: RecordedState): string[] {
  const found: string[] = [];
  const published = Map.groupBy(withoutRepeats(topic), ({ key }) => key);
  const known = new Set(outboxes.flatMap(({ events }) => events.map(({ id }) => id)));
  for (const { id, kind, key, poison } of topic) {
    if (!poison && !known.has(id)) found.push(`${kind} ${id} of order ${key} was published, but is in no outbox`);
  }
  const text = (events: { id: string; kind: string }[]) => events.map(({ id, kind }) => `${kind} ${id}`).join();
  for (const { publisher, events } of outboxes) {
    for (const [key, own] of Map.groupBy(events, (event) => event.key)) {
      const written = new Map(own.map((event) => [event.id, event]));
      const read = (published.get(key) ?? []).filter(({ id }) => written.has(id));
      if (text(own) !== text(read)) {
        found.push(`Order ${key}: ${publisher} wrote ${text(own)}, the topic has ${text(read) || 'nothing'}`);
      }
      const changed = read.find(({ id, value }) => written.get(id)?.payload !== value);
      if (changed) found.push(`${changed.kind} of order ${key} was published with another payload`);
    }
  }
  for (const [key, messages] of Map.groupBy(topic, (message) => message.key)) {
    if (new Set(messages.map(({ partition }) => partition)).size > 1) found.push(`Order ${key} is in two partitions`);
  }
  return found;
}

/** Checks that every group that handles a poison's kind has dead-lettered it, and that there are no other dead letters. */
function auditDeadLetters({ topic, deadLetters }: RecordedState): string[] {
  const expected = new Map(
    topic.flatMap(({ poison, partition, offset }) =>
      poison ? groupsRefusing(poison).map((group) => [deadLetterId(group, partition, offset), poison] as const) : [],
    ),
  );
  const missing = [...expected].filter(([id]) => !deadLetters.has(id));
  const valid = [...deadLetters].filter(([id]) => !expected.has(id));
  const unsent = Object.keys(poisons).filter((name) => !topic.some(({ poison }) => poison === name));
  return [
    ...missing.map(([id, poison]) => `Dead letter missing: ${id} (${poison})`),
    ...valid.map(([id, error]) => `Valid event dead-lettered: ${id}: ${error.replace(/\s+/g, ' ')}`),
    ...unsent.map((name) => `Poison never sent: ${name}`),
  ];
}

/** Removes repetitions of events that were published more than once. */
function withoutRepeats(topic: TopicMessage[]): TopicMessage[] {
  const seen = new Set<string>();
  return topic.filter(({ id }) => !seen.has(id) && seen.add(id));
}
