import { randomUUID } from 'node:crypto';
import type { Database } from '@store/shared/database/database';
import { type Sql, sql } from '@store/shared/database/sql';
import type { Logger } from '@store/shared/observability/log';
import { accountOfActor } from '@store/shared/values/audit';
import type { PrismaClient } from '../../generated/client.ts';
import type { AnswerableOperator } from './auth-client.ts';
import { en } from './mails/en.ts';
import { insertNotifications, type Notification } from './notification-repository.ts';

interface EndedWebhook {
  id: string;
  url: string;
  /** As in the audit trail. */
  createdBy: string;
}

interface Options {
  operatorOf: AnswerableOperator;
  sendsMail: boolean;
  log: Pick<Logger, 'warn'>;
}

const untold = sql`state in ('GIVEN_UP', 'GONE') and told_at is null`;
/** Auth is asked about them at once. */
const maxAtOnce = 20;

/**
 * Writes a message to the operator who answers for each webhook that has ended (contract 4.22). The webhook group has no mail server, so
 * this one looks for them. @returns true if there may be more
 */
export async function tellOfEndedWebhooks(
  { run, inTransaction }: Pick<Database<PrismaClient>, 'run' | 'inTransaction'>,
  { operatorOf, sendsMail, log }: Options,
): Promise<boolean> {
  const ended = await run<EndedWebhook>(sql`
    select id, url, created_by as "createdBy" from webhooks where ${untold} order by id limit ${maxAtOnce}::int`);
  if (ended.length === 0) return false;
  const messages = await Promise.all(
    ended.map(async ({ id, url, createdBy }) => {
      // Somebody with the shared token of the console has no account.
      const accountId = accountOfActor(createdBy)?.accountId;
      const operatorId = accountId === undefined ? undefined : await operatorOf(accountId);
      return { id, message: operatorId === undefined ? undefined : toNotification(url, operatorId) };
    }),
  );
  const told = await inTransaction(async (tx) => {
    const ids = new Set((await tx.run<{ id: string }>(markTold(ended.map(({ id }) => id)))).map(({ id }) => id));
    const own = messages.filter(({ id }) => ids.has(id));
    const written = own.flatMap(({ message }) => message ?? []);
    if (written.length > 0) insertNotifications(tx, written, { sendsMail });
    return own;
  });
  for (const { id, message } of told)
    if (message === undefined) log.warn({ webhookId: id }, 'A webhook has ended, and there is no operator to mail');
  return true;
}

/** Leaves out those that another replica tells of, and those that go on again. */
const markTold = (ids: string[]): Sql => sql`
  update webhooks set told_at = now()
  where id in (select id from webhooks where id = any(${ids}::uuid[]) and ${untold} order by id for no key update skip locked)
  returning id`;

function toNotification(url: string, customerId: string): Notification {
  const kind = 'WebhookEnded';
  const data = { host: new URL(url).host };
  return { id: randomUUID(), orderId: undefined, customerId, kind, data, ...en.messages[kind](data) };
}
