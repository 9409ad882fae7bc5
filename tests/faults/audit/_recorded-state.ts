import type { EventKind } from '@store/shared/messaging/events';
import { readMessage } from '@store/shared/messaging/kafka/messages';
import { readTopic } from '@store/shared/messaging/kafka/read-topic';
import { deadLetterTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import type { View } from '../_fixture.ts';
import { brokerOf } from '../inject/_consumer-groups.ts';
import { poisonDay, poisonHeader } from '../inject/_poison.ts';
import type { Item } from '../load/_workload.ts';

/** The databases with an outbox. */
export const publishers = ['order', 'inventory', 'payment', 'consumers'] as const;
export type Publisher = (typeof publishers)[number];

export type TopicMessage = Awaited<ReturnType<typeof readOrderEvents>>[number];
export type RecordedState = Awaited<ReturnType<typeof readRecordedState>>;

interface Order {
  id: string;
  status: 'PENDING' | 'CONFIRMED' | 'CANCELLED';
  paidAt: Date | null;
  shippedAt: Date | null;
  cancelledAt: Date | null;
  reason: string | null;
  total: string;
  items: Item[];
}

/** An event of an outbox. Times are in ms since the epoch. */
export interface PublishedEvent {
  id: string;
  key: string;
  kind: EventKind;
  payload: string;
  writtenAt: number;
  sentAt: number;
}

/** The records of every service's database, and all messages and dead letters. */
export async function readRecordedState(view: View) {
  const { rows } = view;
  const readEvents = (publisher: Publisher) =>
    rows<PublishedEvent>(
      publisher,
      `select id, key, kind, payload, floor(extract(epoch from created_at) * 1000)::float as "writtenAt",
              coalesce(ceil(extract(epoch from sent_at) * 1000), 'infinity')::float as "sentAt"
       from outbox order by seq`,
    );
  return {
    readAt: Date.now(),
    orders: await rows<Order>(
      'order',
      `select id, status, paid_at as "paidAt", shipped_at as "shippedAt", cancelled_at as "cancelledAt",
              cancel_reason as reason, total_amount::text as total,
              (select json_agg(json_build_object('productId', product_id, 'quantity', quantity) order by product_id)
               from order_items where order_id = orders.id) as items
       from orders`,
    ),
    outboxes: await Promise.all(
      publishers.map(async (publisher) => ({ publisher, events: await readEvents(publisher) })),
    ),
    stock: await rows<{ productId: string; available: number }>(
      'inventory',
      'select product_id as "productId", available from stock',
    ),
    payments: await rows<{ orderId: string; status: string; amount: string | null }>(
      'payment',
      'select order_id as "orderId", status, amount::text from payments',
    ),
    invoices: await rows<{ orderId: string; number: number; amount: string }>(
      'consumers',
      'select order_id as "orderId", number::int, amount::text from invoices order by number',
    ),
    creditNotes: await rows<{ orderId: string; number: number; amount: string }>(
      'consumers',
      'select order_id as "orderId", number::int, amount::text from credit_notes order by number',
    ),
    notifications: await rows<{ id: string }>('consumers', 'select id from notifications where order_id is not null'),
    /** Total numbers of orders and cents. */
    figures: await rows<Record<string, number>>(
      'consumers',
      `select coalesce(sum(orders), 0)::int as orders, coalesce(sum(paid), 0)::int as paid,
              coalesce(sum(cancelled), 0)::int as cancelled, coalesce(sum(refunded), 0)::int as refunded,
              (select coalesce(sum(revenue) * 100, 0)::float from daily_amounts) as revenue,
              (select coalesce(sum(refunds) * 100, 0)::float from daily_amounts) as refunds
       from daily_figures where day <> '${poisonDay}'`,
    ),
    topic: await readOrderEvents(view),
    deadLetters: await readDeadLetters(view),
  };
}

async function readAll(view: View, topic: string) {
  const messages: ReturnType<typeof readMessage>[] = [];
  await readTopic(brokerOf(view), topic, (partition, raw) => void messages.push(readMessage(topic, partition, raw)));
  return messages;
}

/** All messages up to the current end of the topic, in the order of each partition. `poison` is set on the test's own messages. */
const readOrderEvents = async (view: View) =>
  (await readAll(view, orderEventsTopic)).map(({ origin, key = '', value, headers }) => {
    const { ce_id: id = '', ce_type: kind = '', [poisonHeader]: poison } = headers;
    return { partition: origin.partition, offset: origin.offset, key, value, id, kind, poison };
  });

/** The errors of all dead letters. A letter that was written again after a crash counts once. */
const readDeadLetters = async (view: View) =>
  new Map(
    (await readAll(view, deadLetterTopic)).map(({ headers }) => [
      deadLetterId(headers.dlq_group, headers.dlq_partition, headers.dlq_offset),
      headers.dlq_error ?? '',
    ]),
  );

export const deadLetterId = (group = '', partition: string | number = '', offset = '') =>
  `${group} of ${partition}:${offset}`;
