import { groupNames, poisons } from '../inject/_poison.ts';
import type { PlacedOrder } from '../load/_orders.ts';
import type { Item } from '../load/_workload.ts';
import { deadLetterId, type Publisher, type RecordedState, type TopicMessage } from './_recorded-state.ts';

interface AuditedState extends RecordedState {
  /** The orders as the responses to the customers described them. */
  placed: PlacedOrder[];
  /** Pieces in stock at the beginning, by product. */
  initialStock: Map<string, number>;
}

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

/** Every discrepancy in the recorded state, in a sentence each. */
export function audit(state: AuditedState): string[] {
  return [
    ...auditOrders(state),
    ...auditStock(state),
    ...auditPayments(state),
    ...auditSagas(state),
    ...auditPublishing(state),
    ...auditDeadLetters(state),
  ];
}

/** The number of orders by outcome. */
export function outcomes({ orders }: RecordedState): Record<string, number> {
  const count = (reason: string | null, isPaid: boolean) =>
    orders.filter((order) => order.reason === reason && order.isPaid === isPaid).length;
  return {
    shipped: count(null, true),
    'out of stock': count('out of stock', false),
    'payment failed': count('payment failed', false),
    'cancelled unpaid': count(byCustomer, false),
    'cancelled and refunded': count(byCustomer, true),
  };
}

function auditOrders({ orders, placed }: AuditedState): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const found: string[] = [];
  if (orders.length !== placed.length) found.push(`${placed.length} orders were placed, ${orders.length} are recorded`);
  const contenders = new Map<string, string[]>();
  for (const { id, outcome, contendedProduct } of placed) {
    const order = byId.get(id);
    const state = order === undefined ? 'missing' : `${order.status}${order.isShipped ? ' and shipped' : ''}`;
    if (state === 'missing') found.push(`Order ${id} was created with 201, but is missing`);
    if (outcome === 'cancelled' && state !== 'CANCELLED')
      found.push(`The cancellation of order ${id} succeeded, but the order is ${state}`);
    if (outcome === 'shipped' && state !== 'CONFIRMED and shipped')
      found.push(`The cancellation of order ${id} was refused as shipped, but the order is ${state}`);
    if (contendedProduct !== undefined) {
      const states = contenders.get(contendedProduct) ?? [];
      contenders.set(contendedProduct, [...states, order?.reason ?? state].sort());
    }
  }
  for (const [product, states] of contenders) {
    if (states.join() === 'CONFIRMED and shipped,out of stock') continue;
    found.push(`The orders that contended for the last piece of ${product} are: ${states.join(', ')}`);
  }
  return found;
}

function auditStock({ orders, stock, reservations, initialStock }: AuditedState): string[] {
  const sold = sumQuantities(orders.filter(({ status }) => status === 'CONFIRMED'));
  const reserved = sumQuantities(reservations.filter(({ status }) => status === 'SHIPPED'));
  const found: string[] = [];
  for (const { productId, available } of stock) {
    const initial = initialStock.get(productId) ?? 0;
    const soldPieces = sold.get(productId) ?? 0;
    const reservedPieces = reserved.get(productId) ?? 0;
    if (available + soldPieces === initial && soldPieces === reservedPieces && available >= 0) continue;
    const counts = `${soldPieces} sold, ${reservedPieces} reserved, ${available} available`;
    found.push(`Product ${productId}: ${initial} pieces at the beginning, but ${counts}`);
  }
  return found;
}

function sumQuantities(lists: { items: Item[] }[]): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const { productId, quantity } of lists.flatMap(({ items }) => items)) {
    pieces.set(productId, (pieces.get(productId) ?? 0) + quantity);
  }
  return pieces;
}

function auditPayments({ orders, payments, invoices, sales, figures }: AuditedState): string[] {
  const found: string[] = [];
  const payment = new Map(payments.map((one) => [one.orderId, one]));
  for (const { id, status, isPaid, total } of orders) {
    const { status: paid = 'none', amount } = payment.get(id) ?? {};
    const expected = !isPaid ? /^(none|CANCELLED|FAILED)$/ : status === 'CANCELLED' ? /^REFUNDED$/ : /^PAID$/;
    const own = invoices.filter(({ orderId }) => orderId === id);
    const about = `Order ${id} is ${status}, ${isPaid ? '' : 'not '}paid`;
    if (!expected.test(paid)) found.push(`${about}, but its payment is ${paid}`);
    if (own.length !== (isPaid ? 1 : 0)) found.push(`${about}, but has ${own.length} invoices`);
    for (const sum of [...(isPaid ? [amount] : []), ...own.map((invoice) => invoice.amount)]) {
      if (sum !== total) found.push(`${about}, total ${total}, but payment or invoice amount to ${sum}`);
    }
  }
  const gap = invoices.find(({ number }, index) => number !== index + 1);
  if (gap !== undefined) found.push(`Invoice numbers have a gap before ${gap.number}`);
  for (const [name, value] of Object.entries(sales ?? {})) {
    const counted = figures?.[name as keyof typeof figures];
    if (counted !== value) found.push(`Figures: ${name} is ${counted}, but the orders amount to ${value}`);
  }
  return found;
}

/** Every order has each of the events that its final state requires exactly once, and no others. */
function auditSagas({ orders, topic, notifications }: AuditedState): string[] {
  const found: string[] = [];
  const own = withoutRepeats(topic).filter(({ poison }) => poison === undefined);
  const eventsOf = grouped(own, ({ key }) => key);

  for (const { id, status, isPaid, isShipped, reason } of orders) {
    const kinds = (eventsOf.get(id) ?? []).map(({ kind }) => kind);
    const has = (kind: string) => kinds.includes(kind);
    const isBefore = (one: string, other: string) =>
      !has(other) || (has(one) && kinds.indexOf(one) < kinds.indexOf(other));
    const rules = {
      'each kind at most once': new Set(kinds).size === kinds.length,
      'OrderCreated first': kinds[0] === 'OrderCreated',
      'a final state: CANCELLED, or CONFIRMED and shipped':
        status === 'CANCELLED' || (status === 'CONFIRMED' && isShipped),
      'OrderPaid if paid': has('OrderPaid') === isPaid,
      'PaymentRefunded if paid and cancelled': has('PaymentRefunded') === (isPaid && status === 'CANCELLED'),
      'StockReleased if reserved and cancelled':
        has('StockReleased') === (has('StockReserved') && status === 'CANCELLED'),
      'OrderCancelled if cancelled by its owner': has('OrderCancelled') === (reason === byCustomer),
      'a cause if cancelled':
        (status === 'CANCELLED') === (has('OrderCancelled') || has('StockRejected') || has('PaymentFailed')),
      'OrderShipped if shipped': has('OrderShipped') === isShipped,
      'StockReserved before OrderPaid': isBefore('StockReserved', 'OrderPaid'),
      'StockReserved before PaymentFailed': isBefore('StockReserved', 'PaymentFailed'),
      'OrderPaid before OrderShipped': isBefore('OrderPaid', 'OrderShipped'),
      'OrderPaid before PaymentRefunded': isBefore('OrderPaid', 'PaymentRefunded'),
    };
    for (const [rule, holds] of Object.entries(rules)) {
      if (!holds) found.push(`Order ${id} (${status}, ${kinds.join(' ')}) violates: ${rule}`);
    }
  }

  const sent = new Set(notifications.map(({ id }) => id));
  for (const { id, kind, key } of own) {
    if (notifiedKinds.has(kind) && !sent.has(id)) found.push(`No notification of ${kind} of order ${key}`);
  }
  return found;
}

/** Every outbox row is published, and the topic has the events of a key in the order in which its publisher wrote them. */
function auditPublishing({ outboxes, topic }: AuditedState): string[] {
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
function auditDeadLetters({ topic, deadLetters }: AuditedState): string[] {
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
