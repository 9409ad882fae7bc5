import type { Lists } from '@store/shared/database/database';
import { createKeyset, isoTime, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import { wakeOutgoing } from '@store/shared/outgoing/outgoing';
import type { PrismaClient } from '../../generated/client.ts';
import { mailQueue } from './mail-repository.ts';
import type { MailData } from './mails/words.ts';
import type { NotificationQuery } from './schemas.ts';

export interface Notification {
  /** The id of the event. */
  id: string;
  /** Undefined if the message is about the account. */
  orderId: string | undefined;
  customerId: string;
  kind: string;
  data: MailData;
  subject: string;
  text: string;
}

const keyset = createKeyset('notifications', { createdAt: timeColumn('created_at'), id: uuidColumn('id') }, 'id');

const asJson = raw(`jsonb_strip_nulls(jsonb_build_object('id', id, 'orderId', order_id,
  'customerId', customer_id, 'kind', kind, 'subject', subject, 'text', text,
  'createdAt', ${isoTime('created_at', 'MS')}, 'sentAt', ${isoTime('sent_at', 'MS')},
  'refusal', refusal, 'waitsFor', case when sent_at is null and refusal is null then
    case when digest_id is not null then 'digest' when send_at is not null then 'sender' end end))`);

export type NotificationRepository = ReturnType<typeof createNotificationRepository>;

/** @param sendsMail whether there is a mail server */
export const createNotificationRepository = ({ run, inTurn }: Lists, sendsMail: boolean) => {
  const forOperators = sendsMail ? asJson : sql`${asJson} || '{"canBeResent": false}'`;
  const rows = (json: Sql, where: Sql[]) => ({ select: sql`(${json})::text as json`, from: sql`notifications`, where });
  function page(json: Sql, query: NotificationQuery, where: Sql[] = []) {
    const conditions = [sql`order_id is not null`, ...where];
    if (query.orderId !== undefined) conditions.push(sql`order_id = ${query.orderId}::uuid`);
    if (query.customerId !== undefined) conditions.push(sql`customer_id = ${query.customerId}::uuid`);
    return readCountedPage<{ json: string }>(run, rows(json, conditions), keyset(query.sort), query);
  }

  return {
    /** @param customerId restricts the list to a customer, and leaves out the state of the mails; default: all customers */
    list(query: NotificationQuery, customerId?: string) {
      if (customerId === undefined) return page(forOperators, query);
      const own = sql`${asJson} - 'refusal' - 'waitsFor'`;
      return inTurn(customerId, () => page(own, query, [sql`customer_id = ${customerId}::uuid`]));
    },
    /** A page of all messages to a customer, including those about the account. */
    pageOf: (customerId: string, page: PageQuery) =>
      inTurn(customerId, () =>
        readPage<{ json: string }>(
          run,
          rows(asJson, [sql`customer_id = ${customerId}::uuid`]),
          keyset([{ field: 'createdAt', direction: 'asc' }]),
          page,
        ),
      ),
  };
};

/** @param sendsMail whether there is a mail server; if so, the messages are due at once */
export function insertNotifications(
  tx: Transaction,
  notifications: Notification[],
  { sendsMail }: { sendsMail: boolean },
): void {
  const types = {
    id: 'uuid',
    orderId: 'uuid',
    customerId: 'uuid',
    kind: 'text',
    data: 'jsonb',
    subject: 'text',
    text: 'text',
  };
  // clock_timestamp() differs from row to row, which keeps the rows of one transaction in order.
  tx.send(sql`
    insert into notifications (id, order_id, customer_id, kind, data, subject, text, created_at, send_at, lane)
    select id, "orderId", "customerId", kind, data, subject, text, clock_timestamp(),
           case when ${sendsMail}::boolean then now() end, case when "orderId" is null then 'account' else 'orders' end
    from ${rowsAs('row', notifications, types)}`);
  if (sendsMail) wakeOutgoing(tx, mailQueue);
}

/** @returns the order and the kind of a message; undefined if there is no such message, or it is about an account */
export async function findOrderMessage(tx: TransactionOf<PrismaClient>, id: string) {
  const message = await tx.notification.findUnique({ where: { id }, select: { orderId: true, kind: true } });
  if (message === null || message.orderId === null) return undefined;
  return { orderId: message.orderId, kind: message.kind };
}

/** Copies a message, to be mailed like a new one. Does nothing if a message has the id of the copy. */
export function copyNotification(tx: Transaction, id: string, copyId: string): void {
  tx.send(sql`
    insert into notifications (id, order_id, customer_id, kind, data, subject, text, created_at, send_at)
    select ${copyId}::uuid, order_id, customer_id, kind, data, subject, text, clock_timestamp(), now()
    from notifications where id = ${id}::uuid
    on conflict (id) do nothing`);
  wakeOutgoing(tx, mailQueue);
}

export const deleteNotifications = ({ send }: Transaction, customerIds: string[]): void =>
  send(sql`delete from notifications where customer_id = any(${customerIds}::uuid[])`);
