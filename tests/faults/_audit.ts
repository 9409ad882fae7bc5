import type { Item, Placed } from './_orders.ts';
import { groupNames, poisons } from './_poison.ts';
import { letterOf, type Records, type TopicMessage, type Writer } from './_recorded-state.ts';

interface Audited extends Records {
  /** What customers have been answered. */
  placed: Placed[];
  /** Pieces at the beginning, by product. */
  firstStock: Map<string, number>;
}

/** Kinds that the notification group tells the customer of (decisions 8, Groups). */
const told = ['OrderCreated', 'OrderPaid', 'PaymentFailed', 'StockRejected', 'OrderCancelled', 'PaymentRefunded'];
const notified = new Set([...told, 'OrderShipped']);

const byCustomer = 'cancelled by the customer';

/** What does not agree, one sentence each; nothing where all is well. */
export function audit(audited: Audited): string[] {
  return [
    ...ordersAreAsPlaced(audited),
    ...stockAddsUp(audited),
    ...moneyAgrees(audited),
    ...livesAreWhole(audited),
    ...eventsAreInOrder(audited),
    ...deadLettersArePoison(audited),
  ];
}

/** How many orders have come to which end. */
export function endings({ orders }: Records): Record<string, number> {
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

function ordersAreAsPlaced({ orders, placed }: Audited): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const wrong: string[] = [];
  if (orders.length !== placed.length) wrong.push(`${placed.length} orders were placed, there are ${orders.length}`);
  const lastPieces = new Map<string, string[]>();
  for (const { id, told, race } of placed) {
    const order = byId.get(id);
    const state = order === undefined ? 'not there' : `${order.status}${order.isShipped ? ' and shipped' : ''}`;
    if (state === 'not there') wrong.push(`Order ${id} was answered with 201 and is not there`);
    if (told === 'cancelled' && state !== 'CANCELLED')
      wrong.push(`Order ${id} was told to be cancelled and is ${state}`);
    if (told === 'shipped' && state !== 'CONFIRMED and shipped')
      wrong.push(`Order ${id} was told to be shipped and is ${state}`);
    if (race !== undefined) lastPieces.set(race, [...(lastPieces.get(race) ?? []), order?.reason ?? state].sort());
  }
  for (const [product, ends] of lastPieces) {
    if (ends.join() === 'CONFIRMED and shipped,out of stock') continue;
    wrong.push(`The race for the last piece of ${product} has ended with: ${ends.join(', ')}`);
  }
  return wrong;
}

function stockAddsUp({ orders, stock, reservations, firstStock }: Audited): string[] {
  const sold = sums(orders.filter(({ status }) => status === 'CONFIRMED'));
  const reserved = sums(reservations.filter(({ status }) => status === 'SHIPPED'));
  const wrong: string[] = [];
  for (const { productId, available } of stock) {
    const [first = 0, gone = 0, taken = 0] = [firstStock, sold, reserved].map((pieces) => pieces.get(productId));
    if (available + gone === first && gone === taken && available >= 0) continue;
    wrong.push(`Product ${productId}: of ${first} pieces ${gone} are sold, ${taken} reserved and ${available} left`);
  }
  return wrong;
}

function sums(lists: { items: Item[] }[]): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const { productId, quantity } of lists.flatMap(({ items }) => items)) {
    pieces.set(productId, (pieces.get(productId) ?? 0) + quantity);
  }
  return pieces;
}

function moneyAgrees({ orders, payments, invoices, sales, figures }: Audited): string[] {
  const wrong: string[] = [];
  const payment = new Map(payments.map((one) => [one.orderId, one]));
  for (const { id, status, isPaid, total } of orders) {
    const { status: paid = 'none', amount } = payment.get(id) ?? {};
    const expected = !isPaid ? /^(none|CANCELLED|FAILED)$/ : status === 'CANCELLED' ? /^REFUNDED$/ : /^PAID$/;
    const own = invoices.filter(({ orderId }) => orderId === id);
    const about = `Order ${id} is ${status}, ${isPaid ? '' : 'not '}paid`;
    if (!expected.test(paid)) wrong.push(`${about}, and its payment is ${paid}`);
    if (own.length !== (isPaid ? 1 : 0)) wrong.push(`${about}, and has ${own.length} invoices`);
    for (const sum of [...(isPaid ? [amount] : []), ...own.map((invoice) => invoice.amount)]) {
      if (sum !== total) wrong.push(`${about}, of ${total}, and payment or invoice say ${sum}`);
    }
  }
  const gap = invoices.find(({ number }, index) => number !== index + 1);
  if (gap !== undefined) wrong.push(`Invoice numbers have a gap before ${gap.number}`);
  for (const [name, value] of Object.entries(sales ?? {})) {
    const counted = figures?.[name as keyof typeof figures];
    if (counted !== value) wrong.push(`Figures: ${name} are ${counted}, the orders give ${value}`);
  }
  return wrong;
}

/** Each event of an order once, and just those that its end asks for. */
function livesAreWhole({ orders, topic, notifications }: Audited): string[] {
  const wrong: string[] = [];
  const own = firsts(topic).filter(({ poison }) => poison === undefined);
  const eventsOf = grouped(own, ({ key }) => key);

  for (const { id, status, isPaid, isShipped, reason } of orders) {
    const kinds = (eventsOf.get(id) ?? []).map(({ kind }) => kind);
    const has = (kind: string) => kinds.includes(kind);
    const isBefore = (one: string, other: string) =>
      !has(other) || (has(one) && kinds.indexOf(one) < kinds.indexOf(other));
    const rules = {
      'each kind at most once': new Set(kinds).size === kinds.length,
      'OrderCreated first': kinds[0] === 'OrderCreated',
      'an end: CANCELLED, or CONFIRMED and shipped': status === 'CANCELLED' || (status === 'CONFIRMED' && isShipped),
      'OrderPaid where it is paid': has('OrderPaid') === isPaid,
      'PaymentRefunded where it is paid and cancelled': has('PaymentRefunded') === (isPaid && status === 'CANCELLED'),
      'StockReleased where it is reserved and cancelled':
        has('StockReleased') === (has('StockReserved') && status === 'CANCELLED'),
      'OrderCancelled where its owner did': has('OrderCancelled') === (reason === byCustomer),
      'a reason where it is cancelled':
        (status === 'CANCELLED') === (has('OrderCancelled') || has('StockRejected') || has('PaymentFailed')),
      'OrderShipped where it is shipped': has('OrderShipped') || !isShipped,
      'StockReserved before OrderPaid': isBefore('StockReserved', 'OrderPaid'),
      'StockReserved before PaymentFailed': isBefore('StockReserved', 'PaymentFailed'),
      'OrderPaid before OrderShipped': isBefore('OrderPaid', 'OrderShipped'),
      'OrderPaid before PaymentRefunded': isBefore('OrderPaid', 'PaymentRefunded'),
    };
    for (const [rule, holds] of Object.entries(rules)) {
      if (!holds) wrong.push(`Order ${id} (${status}, ${kinds.join(' ')}) breaks: ${rule}`);
    }
  }

  const sent = new Set(notifications.map(({ id }) => id));
  for (const { id, kind, key } of own) {
    if (notified.has(kind) && !sent.has(id)) wrong.push(`Nobody was notified of ${kind} of order ${key}`);
  }
  return wrong;
}

/** Each outbox row is on the topic, and for one key the topic has the order in which its writer wrote. */
function eventsAreInOrder({ outboxes, topic }: Audited): string[] {
  const wrong: string[] = [];
  const writerOf = new Map<string, Writer>();
  for (const { writer, events } of outboxes) for (const { id } of events) writerOf.set(id, writer);
  const published = firsts(topic);
  for (const { id, kind, key, poison } of published) {
    if (!poison && !writerOf.has(id)) wrong.push(`${kind} ${id} of order ${key} is on the topic and in no outbox`);
  }
  const read = grouped(published, ({ id, key }) => `${writerOf.get(id)} ${key}`);
  for (const { writer, events } of outboxes) {
    for (const [key, own] of grouped(events, (event) => event.key)) {
      const [wrote, came] = [own, read.get(`${writer} ${key}`) ?? []].map((list) =>
        list.map(({ kind }) => kind).join(' '),
      );
      if (wrote !== came) wrong.push(`Order ${key}: ${writer} wrote ${wrote}, the topic has ${came || 'nothing'}`);
      const payloads = new Map(own.map(({ id, payload }) => [id, payload]));
      const changed = read.get(`${writer} ${key}`)?.find(({ id, value }) => payloads.get(id) !== value);
      if (changed) wrong.push(`${changed.kind} of order ${key} is on the topic with another payload`);
    }
  }
  for (const [key, messages] of grouped(topic, (message) => message.key)) {
    if (new Set(messages.map(({ partition }) => partition)).size > 1) wrong.push(`Order ${key} is in two partitions`);
  }
  return wrong;
}

/** The test's poison is there for each group that handles its kind, and nothing else: what is away is no dead letter. */
function deadLettersArePoison({ topic, letters }: Audited): string[] {
  const wrong: string[] = [];
  const expected = new Set<string>();
  for (const { poison, partition, offset } of topic) {
    if (poison === undefined) continue;
    for (const group of poisons[poison]?.deadFor ?? groupNames) {
      const letter = letterOf(group, partition, offset);
      expected.add(letter);
      if (!letters.has(letter)) wrong.push(`There is no dead letter for ${letter} (${poison})`);
    }
  }
  for (const [letter, error] of letters) {
    if (!expected.has(letter))
      wrong.push(`A good event has become a dead letter for ${letter}: ${error.replace(/\s+/g, ' ')}`);
  }
  for (const name of Object.keys(poisons)) {
    if (!topic.some(({ poison }) => poison === name)) wrong.push(`The test has not sent the poison ${name}`);
  }
  return wrong;
}

/** What is left when an event that was published twice counts where it came first. */
function firsts(topic: TopicMessage[]): TopicMessage[] {
  const seen = new Set<string>();
  return topic.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function grouped<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
