import type { EventKind } from '@store/shared/messaging/events';
import { readMessage } from '@store/shared/messaging/kafkajs/messages';
import { readRanges, topicRanges } from '@store/shared/messaging/kafkajs/read-range';
import { deadLetterTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import type { View } from '../_fixture.ts';
import { createClient } from '../inject/_consumer-groups.ts';
import { poisonDay, poisonHeader } from '../inject/_poison.ts';
import type { Item } from '../load/_workload.ts';

/** The databases with an outbox. */
export const publishers = ['order', 'inventory', 'payment'] as const;
export type Publisher = (typeof publishers)[number];

export interface TopicMessage {
  partition: number;
  offset: string;
  key: string;
  value: string | undefined;
  id: string;
  kind: string;
  /** The name of the poison, where the test sent it. */
  poison?: string;
}

interface PublishedEvent {
  id: string;
  key: string;
  kind: EventKind;
  payload: string;
  /** In ms since the epoch. */
  writtenAt: number;
  sentAt: number;
}

export interface Figures {
  orders: number;
  paid: number;
  cancelled: number;
  refunded: number;
  revenue: string;
  refunds: string;
}

export type RecordedState = Awaited<ReturnType<typeof readRecordedState>>;

/** The records of every service's database, and all messages and dead letters. */
export async function readRecordedState(view: View) {
  const { rows } = view;
  const readAt = Date.now();
  const orders = await rows<{
    id: string;
    status: 'PENDING' | 'CONFIRMED' | 'CANCELLED';
    paidAt: Date | null;
    shippedAt: Date | null;
    cancelledAt: Date | null;
    reason: string | null;
    items: Item[];
  }>(
    'order',
    `select id, status, paid_at as "paidAt", shipped_at as "shippedAt", cancelled_at as "cancelledAt",
            cancel_reason as reason,
            (select json_agg(json_build_object('productId', product_id, 'quantity', quantity) order by product_id)
             from order_items where order_id = orders.id) as items
     from orders`,
  );
  const [sales] = await rows<Figures>(
    'order',
    `select count(*)::int as orders, count(paid_at)::int as paid,
            count(*) filter (where cancel_reason = 'cancelled by the customer')::int as cancelled,
            count(*) filter (where status = 'CANCELLED' and paid_at is not null)::int as refunded,
            round(coalesce(sum(total_amount) filter (where paid_at is not null), 0), 2)::text as revenue,
            round(coalesce(sum(total_amount) filter (where status = 'CANCELLED' and paid_at is not null), 0), 2)::text
              as refunds
     from orders`,
  );
  const [figures] = await rows<Figures>(
    'consumers',
    `select coalesce(sum(orders), 0)::int as orders, coalesce(sum(paid), 0)::int as paid,
            coalesce(sum(cancelled), 0)::int as cancelled, coalesce(sum(refunded), 0)::int as refunded,
            (select round(coalesce(sum(revenue), 0), 2)::text from daily_amounts) as revenue,
            (select round(coalesce(sum(refunds), 0), 2)::text from daily_amounts) as refunds
     from daily_figures where day <> '${poisonDay}'`,
  );
  const outboxes = await Promise.all(
    publishers.map(async (publisher) => ({
      publisher,
      events: await rows<PublishedEvent>(
        publisher,
        `select id, key, kind, payload, floor(extract(epoch from created_at) * 1000)::float as "writtenAt",
                coalesce(ceil(extract(epoch from sent_at) * 1000), 'infinity')::float as "sentAt"
         from outbox order by seq`,
      ),
    })),
  );
  return {
    readAt,
    orders,
    sales,
    figures,
    outboxes,
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
    notifications: await rows<{ id: string }>('consumers', 'select id from notifications where order_id is not null'),
    topic: await readTopic(view),
    deadLetters: await readDeadLetters(view),
  };
}

/** All messages up to the current end of the topic, in the order of each partition. */
async function readTopic(view: View): Promise<TopicMessage[]> {
  const kafka = createClient(view);
  const messages: TopicMessage[] = [];
  await readRanges({
    kafka,
    topic: orderEventsTopic,
    ranges: await topicRanges(kafka, orderEventsTopic),
    onMessage(partition, raw) {
      const { key = '', value, headers } = readMessage(orderEventsTopic, partition, raw);
      const poison = headers[poisonHeader];
      const { ce_id: id = '', ce_type: kind = '' } = headers;
      messages.push({ partition, offset: raw.offset, key, value, id, kind, ...(poison && { poison }) });
    },
  });
  return messages;
}

/** The errors of all dead letters. One that was written again after a crash counts once. */
async function readDeadLetters(view: View): Promise<Map<string, string>> {
  const kafka = createClient(view);
  const errors = new Map<string, string>();
  await readRanges({
    kafka,
    topic: deadLetterTopic,
    ranges: await topicRanges(kafka, deadLetterTopic),
    onMessage(partition, raw) {
      const { headers } = readMessage(deadLetterTopic, partition, raw);
      errors.set(deadLetterId(headers.dlq_group, headers.dlq_partition, headers.dlq_offset), headers.dlq_error ?? '');
    },
  });
  return errors;
}

export const deadLetterId = (group = '', partition: string | number = '', offset = '') =>
  `${group} of ${partition}:${offset}`;
