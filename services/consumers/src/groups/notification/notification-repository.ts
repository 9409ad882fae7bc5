import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { type NotNull, type RawBuilder, sql, type Transaction } from 'kysely';
import type { DB } from '../../generated/tables.ts';
import type { MailData } from './mails/words.ts';
import type { NotificationQuery } from './schemas.ts';

export interface Notification {
  /** The id of the event. */
  id: string;
  /** Undefined for one about the account. */
  orderId: string | undefined;
  customerId: string;
  kind: string;
  data: MailData;
  subject: string;
  text: string;
}

const keyset = createKeyset('notifications', { createdAt: timeColumn('created_at'), id: uuidColumn('id') }, 'id');

const asJson = sql`${sql.raw(`jsonb_strip_nulls(jsonb_build_object('id', id, 'orderId', order_id,
  'customerId', customer_id, 'kind', kind, 'subject', subject, 'text', text,
  'createdAt', ${isoTime('created_at', 'MS')}, 'sentAt', ${isoTime('sent_at', 'MS')},
  'refusal', refusal, 'waitsFor', case when sent_at is null and refusal is null then
    case when digest_id is not null then 'digest' when send_at is not null then 'sender' end end))`)}`;

export type NotificationRepository = ReturnType<typeof createNotificationRepository>;

export const createNotificationRepository = ({ kysely, inTurn }: Database<DB>['lists']) => {
  const selectAll = (json: RawBuilder<unknown>) =>
    kysely.selectFrom('notifications').select(sql<string>`(${json})::text`.as('json'));
  const select = (json: RawBuilder<unknown>) => selectAll(json).where('order_id', 'is not', null);
  function page(rows: ReturnType<typeof select>, query: NotificationQuery) {
    if (query.orderId !== undefined) rows = rows.where('order_id', '=', query.orderId);
    if (query.customerId !== undefined) rows = rows.where('customer_id', '=', query.customerId);
    return readCountedPage(kysely, rows, keyset(query.sort), query);
  }

  return {
    /** @param customerId whose messages they are, without what becomes of their mails; default: everybody's */
    list(query: NotificationQuery, customerId?: string) {
      if (customerId === undefined) return page(select(asJson), query);
      const own = select(sql`${asJson} - 'refusal' - 'waitsFor'`).where('customer_id', '=', customerId);
      return inTurn(customerId, () => page(own, query));
    },
    /** A page of all messages to a customer, those about the account included. */
    pageOf: (customerId: string, page: PageQuery) =>
      inTurn(customerId, () =>
        readPage(
          selectAll(asJson).where('customer_id', '=', customerId),
          keyset([{ field: 'createdAt', direction: 'asc' }]),
          page,
        ),
      ),
  };
};

/** @param sendsMail whether there is a mail server: the messages are due at once */
export async function insertNotifications(
  tx: Transaction<DB>,
  notifications: Notification[],
  { sendsMail }: { sendsMail: boolean },
): Promise<void> {
  const types = {
    id: 'uuid',
    orderId: 'uuid',
    customerId: 'uuid',
    kind: 'text',
    data: 'jsonb',
    subject: 'text',
    text: 'text',
  };
  // clock_timestamp() differs from row to row, which keeps those of one transaction in order.
  await sql`
    insert into notifications (id, order_id, customer_id, kind, data, subject, text, created_at, send_at)
    select id, "orderId", "customerId", kind, data, subject, text, clock_timestamp(),
           case when ${sendsMail}::boolean then now() end
    from ${rowsAs('row', notifications, types)}`.execute(tx);
}

/** @returns the order of a message and its kind; undefined if there is none, or it is about an account */
export const findOrderMessage = (tx: Transaction<DB>, id: string) =>
  tx
    .selectFrom('notifications')
    .select(['order_id as orderId', 'kind'])
    .where('id', '=', id)
    .where('order_id', 'is not', null)
    .$narrowType<{ orderId: NotNull }>()
    .executeTakeFirst();

/** Writes a message again, to be mailed as a new one is. Nothing is written if there is one with its id. */
export async function copyNotification(tx: Transaction<DB>, id: string, copyId: string): Promise<void> {
  await sql`
    insert into notifications (id, order_id, customer_id, kind, data, subject, text, created_at, send_at)
    select ${copyId}::uuid, order_id, customer_id, kind, data, subject, text, clock_timestamp(), now()
    from notifications where id = ${id}::uuid
    on conflict (id) do nothing`.execute(tx);
}

export async function deleteNotifications(tx: Transaction<DB>, customerIds: string[]): Promise<void> {
  await tx.deleteFrom('notifications').where('customer_id', 'in', customerIds).execute();
}
