import { randomUUID } from 'node:crypto';
import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import { accountOfActor } from '@store/shared/values/audit';
import type { PrismaClient } from '../../generated/client.ts';
import { en } from './mails/en.ts';
import { insertNotifications, type Notification } from './notification-repository.ts';

interface EndedWebhook {
  url: string;
  /** As in the audit trail. */
  createdBy: string;
}

/**
 * Writes a message to each account whose webhook has ended (contract 4.22). The webhook group has no mail server, so this one looks for
 * them. @returns true if there may be more
 */
export const tellOfEndedWebhooks = (
  { inTransaction }: Pick<Database<PrismaClient>, 'inTransaction'>,
  sendsMail: boolean,
): Promise<boolean> =>
  inTransaction(async (tx) => {
    const ended = await tx.run<EndedWebhook>(sql`
      update webhooks set told_at = now()
      where id in (
        select id from webhooks where state in ('GIVEN_UP', 'GONE') and told_at is null
        order by id limit 100 for no key update skip locked)
      returning url, created_by as "createdBy"`);
    const messages = ended.flatMap(toNotification);
    if (messages.length > 0) await insertNotifications(tx, messages, { sendsMail });
    return ended.length > 0;
  });

/** Somebody with the shared token of the console has no account, and a service account no address. */
function toNotification({ url, createdBy }: EndedWebhook): Notification[] {
  const customerId = accountOfActor(createdBy)?.accountId;
  if (customerId === undefined) return [];
  const kind = 'WebhookEnded';
  const data = { host: new URL(url).host };
  return [{ id: randomUUID(), orderId: undefined, customerId, kind, data, ...en.messages[kind](data) }];
}
