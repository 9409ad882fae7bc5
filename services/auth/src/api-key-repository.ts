import { recordChange } from '@store/shared/database/audit';
import { deleteInBatches, readInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { DomainError } from '@store/shared/values/errors';
import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import type { SignedKey } from './orphaned-keys.ts';
import { lockSessions, notify, secondsOf, storeEnd } from './session-repository.ts';
import type { Session } from './tokens.ts';

export type ApiKeyRepository = ReturnType<typeof createApiKeyRepository>;

/** Keys of an account that have not expired, ended ones included, each of which every replica remembers. */
const maxKeys = 100;

export const sessionEnded = () => new DomainError('unauthenticated', 'The session has ended.');

const timeOf = (column: string) => sql<string>`${sql.raw(isoTime(column, 'MS'))}`;

interface NewKey {
  id: string;
  accountId: string;
  name: string;
  scopes: string[];
  expiresAt: number;
}

export function createApiKeyRepository(prisma: PrismaClient, { kysely, transactionOf }: Database<DB>) {
  /** @throws DomainError unauthenticated if the session has ended, conflict if the account has no room for a key @returns the time */
  async function mustMake(on: Kysely<DB>, accountId: string, by: Session): Promise<number> {
    const { count, hasEnded, now } = await on
      .selectFrom('api_keys')
      .where('account_id', '=', accountId)
      .where('expires_at', '>', sql<Date>`now()`)
      .select([
        sql<number>`count(*)::int`.as('count'),
        sql<number>`extract(epoch from clock_timestamp())::float8`.as('now'),
        sql<boolean>`exists (select from ended_sessions where id = ${by.id}) or exists (
          select from session_cutoffs
          where account_id = ${accountId} and ended_at >= to_timestamp(${by.authenticatedAt})
        )`.as('hasEnded'),
      ])
      .executeTakeFirstOrThrow();
    if (hasEnded) throw sessionEnded();
    if (count < maxKeys) return now;
    throw new DomainError('conflict', `The account has ${maxKeys} API keys that have not expired.`, {
      code: 'too-many-keys',
    });
  }

  return {
    /**
     * Stores a key unless the session that makes it has ended meanwhile: nothing that was under way outlives a new password.
     * @param tokenFor signs the token, by the clock of the database
     * @throws DomainError unauthenticated if it has ended, conflict for too many keys
     */
    async make(
      actor: string,
      key: NewKey,
      by: Session,
      tokenFor: (authenticatedAt: number) => Promise<{ token: string; digest: Buffer; kid: string }>,
    ): Promise<{ token: string; createdAt: number }> {
      // Without the lock first: whoever is refused anyway must not wait for it.
      await mustMake(kysely, key.accountId, by);
      return transactionOf(key.accountId, async (tx) => {
        await lockSessions(tx, key.accountId);
        const createdAt = await mustMake(tx, key.accountId, by);
        const { token, digest, kid } = await tokenFor(createdAt);
        const signed: SignedKey = { digest: digest.toString('base64url'), kid, expiresAt: key.expiresAt };
        await tx
          .with('stored', (db) =>
            db.insertInto('api_keys').values({
              id: key.id,
              account_id: key.accountId,
              name: key.name,
              scopes: key.scopes,
              token_digest: digest,
              kid,
              created_at: sql`to_timestamp(${createdAt})`,
              expires_at: sql`to_timestamp(${key.expiresAt})`,
              announced_at: null,
            }),
          )
          // For replicas that do not know the signing key, during a rotation
          .selectNoFrom(notify(JSON.stringify(signed)))
          .execute();
        // Without the name, which may say more of a person than an id.
        const after = JSON.stringify({ accountId: key.accountId, scopes: key.scopes });
        await recordChange(tx, { actor, kind: 'key', subject: key.id, after });
        return { token, createdAt };
      });
    },

    /** Those of which the account service has not been told, the oldest first, 20 at most. */
    unannounced: () =>
      kysely
        .selectFrom('api_keys')
        .select(['id', 'account_id as accountId'])
        .where('announced_at', 'is', null)
        .orderBy('created_at')
        .limit(20)
        .execute(),
    noteAnnounced: (id: string) =>
      kysely.updateTable('api_keys').set({ announced_at: sql<Date>`now()` }).where('id', '=', id).execute(),

    /** Those that have neither expired nor ended, the newest first. */
    ofAccount: (accountId: string) =>
      kysely
        .selectFrom('api_keys')
        .select(['id', 'name', 'scopes', timeOf('created_at').as('createdAt'), timeOf('expires_at').as('expiresAt')])
        .select(sql<string | null>`${timeOf('last_used_at')}`.as('lastUsedAt'))
        .where('account_id', '=', accountId)
        .where('expires_at', '>', sql<Date>`now()`)
        .where('ended_at', 'is', null)
        .orderBy('created_at', 'desc')
        .execute(),

    /** Passes on the keys that have neither expired nor ended, of which other signing keys than these made the token. */
    async load(kids: string[], add: (key: SignedKey) => void): Promise<void> {
      const keys = kysely
        .selectFrom('api_keys')
        .select(['id', 'kid', 'token_digest as digest', secondsOf('expires_at').as('expiresAt')])
        .where('expires_at', '>', sql<Date>`now()`)
        .where('ended_at', 'is', null)
        .where((one) => one.or([one('kid', 'is', null), one('kid', 'not in', kids)]))
        .orderBy('id');
      for await (const rows of readInBatches<{ id: string; kid: string | null; digest: Buffer; expiresAt: number }>(
        (last, limit) => (last ? keys.where('id', '>', last.id) : keys).limit(limit).execute(),
      ))
        for (const { digest, ...key } of rows) add({ ...key, digest: digest.toString('base64url') });
    },

    /**
     * Once or again, on the path of a session that ends.
     * @returns when its token expires; undefined if the account has no such key
     */
    end: (actor: string, accountId: string, id: string): Promise<number | undefined> =>
      transactionOf(accountId, async (tx) => {
        const key = await tx
          .selectFrom('api_keys')
          .select(['scopes', 'ended_at', secondsOf('expires_at').as('expiresAt')])
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .forUpdate()
          .executeTakeFirst();
        if (key === undefined) return undefined;
        const { scopes, ended_at: endedAt, expiresAt } = key;
        if (endedAt === null) {
          await tx.updateTable('api_keys').set({ ended_at: sql<Date>`now()` }).where('id', '=', id).execute();
          await recordChange(tx, { actor, kind: 'key', subject: id, before: JSON.stringify({ accountId, scopes }) });
        }
        await storeEnd(tx, { id, expiresAt });
        return expiresAt;
      }),

    /** Notes that keys were used in the present hour. */
    async noteUse(ids: string[]): Promise<void> {
      const hour = sql<Date>`date_trunc('hour', now())`;
      await kysely
        .updateTable('api_keys')
        .set({ last_used_at: hour })
        .where('id', 'in', ids)
        .where(sql<boolean>`coalesce(last_used_at < ${hour}, true)`)
        .execute();
    },

    async deleteExpired(): Promise<void> {
      await deleteInBatches((limit) => prisma.apiKey.deleteMany({ where: { expiresAt: { lt: new Date() } }, limit }));
    },
  };
}
