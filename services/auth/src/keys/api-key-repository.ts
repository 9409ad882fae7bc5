import { recordChange } from '@store/shared/database/audit';
import { deleteInBatches, readInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { empty, raw, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from '../generated/client.ts';
import type { ApiKeyOut } from '../schemas.ts';
import { lockSessions, notify, secondsOf, storeEnd } from '../sessions/session-repository.ts';
import type { Session } from '../tokens/tokens.ts';
import type { SignedKey } from './orphaned-keys.ts';

export type ApiKeyRepository = ReturnType<typeof createApiKeyRepository>;

/** Keys of an account that have not expired, including ended ones: every replica keeps each of them in memory. */
const maxKeys = 100;

export const sessionEnded = () => new DomainError('unauthenticated', 'The session has ended.');

const timeOf = (column: string) => raw(isoTime(column, 'MS'));

interface NewKey {
  id: string;
  accountId: string;
  name: string;
  scopes: string[];
  expiresAt: number;
  /** Whether the account is a service account. */
  isOfMachine: boolean;
}

/** The session that makes a key, or an operator by a credential of the store (contract 3.7). */
export type Maker = Session | 'operator';

/**
 * Checks that a session may make another key.
 * @returns the database's time, in seconds since 1970
 * @throws DomainError unauthenticated if the session has ended, conflict if the account has too many keys
 */
async function checkMayMake({ run }: Statements, accountId: string, by: Maker): Promise<number> {
  const hasEnded =
    by === 'operator'
      ? sql`false`
      : sql`exists (select from ended_sessions where id = ${by.id}) or exists (
        select from session_cutoffs
        where account_id = ${by.accountId} and ended_at >= to_timestamp(${by.authenticatedAt})
      )`;
  const [{ count, hasEnded: isOver, now }] = (await run(sql`
    select count(*)::int as count, extract(epoch from clock_timestamp())::float8 as now, ${hasEnded} as "hasEnded"
    from api_keys where account_id = ${accountId} and expires_at > now()`)) as [
    { count: number; hasEnded: boolean; now: number },
  ];
  if (isOver) throw sessionEnded();
  if (count < maxKeys) return now;
  throw new DomainError('conflict', `The account already has ${maxKeys} API keys that have not expired.`, {
    code: 'too-many-keys',
  });
}

/** Valid keys of a service account: the one in use, and the next one during a rotation. */
const maxKeysOfMachine = 2;

/**
 * Locks a service account, so that of concurrent calls only as many make a key as it may have.
 * @throws DomainError notFound if it is deleted, conflict if it has two valid keys
 */
async function checkMachineMayHaveKey({ run }: Transaction, accountId: string): Promise<void> {
  const [account] = await run(sql`
    select id from service_accounts where id = ${accountId} and deleted_at is null for update`);
  found(account, `service account ${accountId}`);
  const [{ count }] = (await run(sql`
    select count(*)::int as count from api_keys
    where account_id = ${accountId} and expires_at > now() and ended_at is null`)) as [{ count: number }];
  if (count < maxKeysOfMachine) return;
  throw new DomainError(
    'conflict',
    `The service account already has ${maxKeysOfMachine} valid keys. End the one that is no longer used.`,
    { code: 'too-many-keys' },
  );
}

export function createApiKeyRepository({ prisma, run, transactionOf }: Database<PrismaClient>) {
  return {
    /**
     * Stores a key unless the session that makes it has ended meanwhile, so a key in the making does not outlive a password change.
     * @param by a session of the account, or whoever makes a key of a service account
     * @param tokenFor signs the token; gets the database's time
     * @throws DomainError unauthenticated if the session has ended, conflict for too many keys
     */
    async make(
      actor: string,
      key: NewKey,
      by: Maker,
      tokenFor: (authenticatedAt: number) => Promise<{ token: string; digest: Buffer; kid: string }>,
    ): Promise<{ token: string; createdAt: number }> {
      // Check without the lock first: a request that is refused anyway must not wait for it.
      await checkMayMake({ run }, key.accountId, by);
      return transactionOf(key.accountId, async (tx) => {
        if (by !== 'operator') lockSessions(tx, by.accountId);
        if (key.isOfMachine) await checkMachineMayHaveKey(tx, key.accountId);
        const createdAt = await checkMayMake(tx, key.accountId, by);
        const { token, digest, kid } = await tokenFor(createdAt);
        const signed: SignedKey = { digest: digest.toString('base64url'), kid, expiresAt: key.expiresAt };
        // During a rotation some replicas do not know the signing key: the notification lets them accept the token.
        tx.send(sql`
          with stored as (
            insert into api_keys (
              id, account_id, name, scopes, token_digest, kid, created_at, expires_at, announced_at
            ) values (
              ${key.id}, ${key.accountId}, ${key.name}, ${key.scopes}, ${digest}, ${kid}, to_timestamp(${createdAt}),
              to_timestamp(${key.expiresAt}), ${key.isOfMachine ? sql`now()` : null}
            )
          )
          select ${notify(JSON.stringify(signed))}`);
        // Leave out the name: it may say more about a person than an id does.
        const after = JSON.stringify({ accountId: key.accountId, scopes: key.scopes });
        recordChange(tx, { actor, kind: 'key', subject: key.id, after });
        return { token, createdAt };
      });
    },

    /** Keys that the account service has not been told about yet, oldest first, 20 at most. */
    unannounced: () =>
      prisma.apiKey.findMany({
        where: { announcedAt: null },
        select: { id: true, accountId: true },
        orderBy: { createdAt: 'asc' },
        take: 20,
      }),
    /** Does nothing if the key has been deleted with its account meanwhile. */
    async noteAnnounced(id: string): Promise<void> {
      await prisma.apiKey.updateMany({ where: { id }, data: { announcedAt: new Date() } });
    },

    /** Keys of accounts that have not expired or ended, newest first. */
    ofAccounts: (accountIds: string[]) =>
      run<ApiKeyOut & { accountId: string }>(sql`
        select id, account_id as "accountId", name, scopes, ${timeOf('created_at')} as "createdAt",
          ${timeOf('expires_at')} as "expiresAt", ${timeOf('last_used_at')} as "lastUsedAt"
        from api_keys where account_id = any(${accountIds}::uuid[]) and expires_at > now() and ended_at is null
        order by created_at desc`),

    /**
     * Calls `add` with each key that has not expired or ended and whose token was not signed by one of the known signing keys.
     * @param kids of the known signing keys
     */
    async load(kids: string[], add: (key: SignedKey) => void): Promise<void> {
      const keys = readInBatches<{ id: string; kid: string | null; digest: Buffer; expiresAt: number }>((last, limit) =>
        run(sql`
          select id, kid, token_digest as digest, ${secondsOf('expires_at')} as "expiresAt" from api_keys
          where expires_at > now() and ended_at is null and (kid is null or kid <> all(${kids}))
            ${last ? sql`and id > ${last.id}` : empty}
          order by id limit ${limit}`),
      );
      for await (const rows of keys)
        for (const { digest, ...key } of rows) add({ ...key, digest: digest.toString('base64url') });
    },

    /**
     * Ends a key, and notifies replicas as for a session that ends. Idempotent.
     * @returns when its token expires, in seconds since 1970; undefined if the account has no such key
     */
    end: (actor: string, accountId: string, id: string): Promise<number | undefined> =>
      transactionOf(accountId, async (tx) => {
        const [key] = await tx.run<{ scopes: string[]; hasEnded: boolean; expiresAt: number }>(sql`
          select scopes, ended_at is not null as "hasEnded", ${secondsOf('expires_at')} as "expiresAt"
          from api_keys where id = ${id} and account_id = ${accountId} for update`);
        if (key === undefined) return undefined;
        const { scopes, hasEnded, expiresAt } = key;
        if (!hasEnded) {
          await tx.apiKey.update({ where: { id }, data: { endedAt: new Date() }, select: { id: true } });
          recordChange(tx, { actor, kind: 'key', subject: id, before: JSON.stringify({ accountId, scopes }) });
        }
        await storeEnd(tx, { id, expiresAt });
        return expiresAt;
      }),

    /** Records that keys were used in the current hour. */
    async noteUse(ids: string[]): Promise<void> {
      const hour = sql`date_trunc('hour', now())`;
      await run(sql`
        update api_keys set last_used_at = ${hour}
        where id = any(${ids}::uuid[]) and coalesce(last_used_at < ${hour}, true)`);
    },

    async deleteExpired(): Promise<void> {
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from api_keys where id in (select id from api_keys where expires_at < now() limit ${limit})`,
      );
    },
  };
}
