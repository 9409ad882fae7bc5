import { randomUUID } from 'node:crypto';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { empty, raw, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import { coalesce } from '@store/shared/values/coalesce';
import { DomainError } from '@store/shared/values/errors';
import type { PrismaClient } from '../../generated/client.ts';
import { deleteDeliveries } from './delivery-repository.ts';
import type { WebhookChange, WebhookIn, WebhookOut } from './schemas.ts';
import { newSecret, type Sealed, type SecretBox } from './secrets.ts';

/** Each event is written once for each endpoint that wants it. */
const maxEndpoints = 1_000;
/** How long the previous secret signs beside the new one. */
const overlapHours = 24;

const columns = raw(`id, url, kinds, ordered, state, failures, failure as "lastFailure",
  case when resting_until > now() then ${isoTime('resting_until', 'MS')} end as "restingUntil",
  ${isoTime('created_at', 'MS')} as "createdAt"`);

const read = ({ run }: Statements, id?: string): Promise<WebhookOut[]> =>
  run(
    sql`select ${columns} from webhooks ${id === undefined ? empty : sql`where id = ${id}::uuid`} order by created_at desc, id`,
  );

const stateOf = ({ kinds, ordered, state, url }: Pick<WebhookOut, 'kinds' | 'ordered' | 'state' | 'url'>) =>
  JSON.stringify({ host: new URL(url).host, kinds, ordered, state });

export type EndpointRepository = ReturnType<typeof createEndpointRepository>;

/** The endpoints and their secrets. Changes are in the audit trail: of a URL only the host, since the rest may be secret. */
export function createEndpointRepository({ run, inTransaction }: Database<PrismaClient>, box: SecretBox) {
  /** @returns undefined if there is none */
  async function lock(tx: TransactionOf<PrismaClient>, id: string): Promise<WebhookOut | undefined> {
    tx.send(sql`select from webhooks where id = ${id}::uuid for no key update`);
    return (await read(tx, id))[0];
  }

  function addSecret({ send }: Transaction, webhookId: string): string {
    const secret = newSecret();
    const { keyId, sealed } = box.seal(secret, webhookId);
    send(sql`
      insert into webhook_secrets (id, webhook_id, key_id, sealed)
      values (${randomUUID()}::uuid, ${webhookId}::uuid, ${keyId}, ${sealed})`);
    return secret;
  }

  const readSecrets = coalesce(async (webhookIds: string[]) => {
    const rows = await run<{ webhookId: string; keyId: string; sealed: Buffer }>(sql`
      select webhook_id as "webhookId", key_id as "keyId", sealed from webhook_secrets
      where webhook_id = any(${[...new Set(webhookIds)]}::uuid[]) and coalesce(expires_at > now(), true)
      order by created_at desc, id`);
    const sealed = Map.groupBy(rows, ({ webhookId }) => webhookId);
    const opened = new Map<string, string[]>();
    // Opened at the first use, because one that cannot be opened is no reason for others to wait.
    return (webhookId: string): string[] => {
      const secrets =
        opened.get(webhookId) ?? (sealed.get(webhookId) ?? []).map((one: Sealed) => box.open(one, webhookId));
      opened.set(webhookId, secrets);
      return secrets;
    };
  });

  return {
    /** The newest first. */
    list: () => read({ run }),
    find: async (id: string): Promise<WebhookOut | undefined> => (await read({ run }, id))[0],

    /**
     * @returns the endpoint with its secret, which is not shown again
     * @throws DomainError conflict if there are too many
     */
    create: (actor: string, { url, kinds, ordered }: WebhookIn): Promise<WebhookOut & { secret: string }> =>
      inTransaction(async (tx) => {
        tx.send(sql`select pg_advisory_xact_lock(hashtextextended('webhooks', 0))`);
        if ((await tx.webhook.count()) >= maxEndpoints)
          throw new DomainError('conflict', `There are already ${maxEndpoints} webhooks.`, {
            code: 'too-many-webhooks',
          });
        const id = randomUUID();
        await tx.webhook.create({ data: { id, url, kinds, ordered, createdBy: actor }, select: { id: true } });
        const secret = addSecret(tx, id);
        const after = stateOf({ url, kinds, ordered, state: 'ACTIVE' });
        recordChange(tx, { actor, kind: 'webhook', subject: id, after });
        const [made] = (await read(tx, id)) as [WebhookOut];
        return { ...made, secret };
      }),

    /**
     * What is due is held when it is claimed while the endpoint is paused.
     * @returns undefined if there is no such endpoint
     */
    change: (actor: string, id: string, change: WebhookChange): Promise<WebhookOut | undefined> =>
      inTransaction(async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return undefined;
        const { url = before.url, kinds = before.kinds, state = before.state } = change;
        tx.send(sql`
          update webhooks set url = ${url}, kinds = ${kinds}::text[], state = ${state},
            failures = case when ${state} = state then failures else 0 end,
            failure = case when ${state} = state then failure end,
            resting_until = case when ${state} = state then resting_until end,
            told_at = case when ${state} = state then told_at end
          where id = ${id}::uuid`);
        const [after] = (await read(tx, id)) as [WebhookOut];
        recordChange(tx, { actor, kind: 'webhook', subject: id, before: stateOf(before), after: stateOf(after) });
        return after;
      }),

    /** Deletes an endpoint with its deliveries. @returns false if there is none */
    async remove(actor: string, id: string): Promise<boolean> {
      // There may be a million. Only the last are deleted with the endpoint.
      await deleteDeliveries({ run }, id);
      return inTransaction(async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return false;
        await tx.webhook.delete({ where: { id }, select: { id: true } });
        recordChange(tx, { actor, kind: 'webhook', subject: id, before: stateOf(before) });
        return true;
      });
    },

    /**
     * Makes a new secret. For a day the previous one signs as well, and older ones no longer do.
     * @returns undefined if there is no such endpoint
     */
    renewSecret: (actor: string, id: string): Promise<string | undefined> =>
      inTransaction(async (tx) => {
        const webhook = await lock(tx, id);
        if (webhook === undefined) return undefined;
        tx.send(sql`delete from webhook_secrets where webhook_id = ${id}::uuid and expires_at is not null`);
        tx.send(sql`
          update webhook_secrets set expires_at = now() + ${overlapHours}::int * interval '1 hour'
          where webhook_id = ${id}::uuid`);
        const secret = addSecret(tx, id);
        const after = JSON.stringify({ secret: 'renewed' });
        recordChange(tx, { actor, kind: 'webhook', subject: id, after });
        return secret;
      }),

    /**
     * The valid secrets of an endpoint, the newest first.
     * @throws Error if a key is missing
     */
    async secretsOf(webhookId: string): Promise<string[]> {
      const secrets = (await readSecrets(webhookId))(webhookId);
      if (secrets.length === 0) throw new Error('The webhook has no secret');
      return secrets;
    },

    /** Seals with the current key what another known one has sealed. @returns true if there may be more */
    reseal: (): Promise<boolean> =>
      inTransaction(async (tx) => {
        const rows = await tx.run<{ id: string; webhookId: string; keyId: string; sealed: Buffer }>(sql`
          select id, webhook_id as "webhookId", key_id as "keyId", sealed from webhook_secrets
          where key_id = any(${box.otherIds}) limit 100 for update skip locked`);
        for (const row of rows) {
          const { keyId, sealed } = box.seal(box.open(row, row.webhookId), row.webhookId);
          tx.send(sql`
            update webhook_secrets set key_id = ${keyId}, sealed = ${sealed} where id = ${row.id}::uuid`);
        }
        return rows.length > 0;
      }),
  };
}
