import { recordChange } from '@store/shared/database/audit';
import { deleteInBatches, readInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { cut } from '@store/shared/values/text';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { EndedSession, SessionCutoff } from './ended-sessions.ts';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import type { Session } from './tokens.ts';

export type SessionRepository = ReturnType<typeof createSessionRepository>;

/** On which replicas hear of what has ended and of roles, as JSON: a token check needs both. */
export const endedSessionsChannel = 'ended_sessions';

export const secondsOf = (column: 'began_at' | 'changed_at' | 'created_at' | 'ended_at' | 'expires_at') =>
  sql<number>`extract(epoch from ${sql.ref(column)})::float8`;
const sessionColumns = ['id', secondsOf('expires_at').as('expiresAt')] as const;
const cutoffColumns = [
  'account_id as accountId',
  secondsOf('ended_at').as('endedAt'),
  secondsOf('expires_at').as('expiresAt'),
] as const;

/** Sent by PostgreSQL when the statement is committed. */
export const notify = (json: unknown) => sql`pg_notify(${endedSessionsChannel}, ${json})`.as('notified');

/** Stores the end of a session or an API key, once or again, and tells every replica. @returns false if it was stored before */
export async function storeEnd(on: Kysely<DB>, { id, expiresAt }: EndedSession): Promise<boolean> {
  const { isNew } = await on
    .with('stored', (db) =>
      db
        .insertInto('ended_sessions')
        .values({ id, expires_at: sql`to_timestamp(${expiresAt})` })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    )
    .selectNoFrom([notify(JSON.stringify({ id, expiresAt })), sql<boolean>`exists (select from stored)`.as('isNew')])
    .executeTakeFirstOrThrow();
  return isNew;
}

/** Until the end of the transaction nobody else makes a key of an account or ends all of its sessions. */
export const lockSessions = (tx: Transaction<DB>, accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 0))`.execute(tx);

/**
 * Ends all sessions and API keys of an account that began before, in a transaction, and tells every replica.
 * @param actor who ends them, as the audit trail has it
 * @param ttlSeconds how long the tokens of sessions live at most
 */
export async function endAllIn(
  tx: Transaction<DB>,
  actor: string,
  accountId: string,
  ttlSeconds: number,
): Promise<SessionCutoff> {
  await lockSessions(tx, accountId);
  // Not when the transaction began, while a key may have been under way.
  const now = sql<Date>`statement_timestamp()`;
  const keys = await tx
    .updateTable('api_keys')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .returning(['id', 'scopes', secondsOf('expires_at').as('expiresAt')])
    .execute();
  for (const { id, scopes } of keys)
    await recordChange(tx, { actor, kind: 'key', subject: id, before: JSON.stringify({ accountId, scopes }) });
  const before = JSON.stringify({ sessions: 'all' });
  await recordChange(tx, { actor, kind: 'session', subject: accountId, before });
  const lastKey = Math.max(0, ...keys.map(({ expiresAt }) => expiresAt));
  const expiry = sql<Date>`greatest(${now} + make_interval(secs => ${ttlSeconds}), to_timestamp(${lastKey}))`;
  return tx
    .with('stored', (db) =>
      db
        .insertInto('session_cutoffs')
        .values({ account_id: accountId, ended_at: now, expires_at: expiry })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet({
            ended_at: sql`greatest(session_cutoffs.ended_at, excluded.ended_at)`,
            expires_at: sql`greatest(session_cutoffs.expires_at, excluded.expires_at)`,
          }),
        )
        .returning(cutoffColumns),
    )
    .selectFrom('stored')
    .select(['accountId', 'endedAt', 'expiresAt', notify(sql`row_to_json(stored)::text`)])
    .executeTakeFirstOrThrow();
}

/** Sessions that are listed: the others have begun before. */
const maxListed = 100;

/** From where a session begins, as the input of a route has it. */
export interface Client {
  clientAddress: string | undefined;
  userAgent: string | undefined;
}

/** The name of a browser takes some hundred characters. */
const maxName = 300;

/** Long enough for every replica to have forgotten what expired, whose clocks may differ. */
const keptMs = 3_600_000;

export function createSessionRepository(prisma: PrismaClient, { kysely, transactionOf }: Database<DB>) {
  return {
    /** Stores from where the session began, for its customer to see. */
    async begin({ id, accountId, authenticatedAt, expiresAt }: Session, client: Client): Promise<void> {
      await kysely
        .insertInto('sessions')
        .values({
          id,
          account_id: accountId,
          began_at: sql`to_timestamp(${authenticatedAt})`,
          expires_at: sql`to_timestamp(${expiresAt})`,
          address: client.clientAddress,
          user_agent: client.userAgent && cut(client.userAgent, maxName),
        })
        .execute();
    },
    /** The newest ones that have neither expired nor ended; with an id that one, ended or not. */
    ofAccount(accountId: string, id?: string) {
      const ofAccount = kysely
        .selectFrom('sessions')
        .select(['id', 'account_id as accountId', 'address', 'user_agent as userAgent'])
        // Not by Prisma, whose times have milliseconds.
        .select([secondsOf('began_at').as('authenticatedAt'), secondsOf('expires_at').as('expiresAt')])
        .where('account_id', '=', accountId)
        .where('expires_at', '>', sql<Date>`now()`)
        .orderBy('began_at', 'desc')
        .limit(maxListed);
      if (id !== undefined) return ofAccount.where('id', '=', id).execute();
      return ofAccount
        .where(
          sql<boolean>`not exists (select from ended_sessions where ended_sessions.id = sessions.id)
            and not exists (select from session_cutoffs as cutoff
              where cutoff.account_id = sessions.account_id and cutoff.ended_at >= sessions.began_at)`,
        )
        .execute();
    },
    /** Once or again. */
    end: (session: EndedSession): Promise<boolean> => storeEnd(kysely, session),
    /** Ends one of the sessions of an account, which is not the one that asks, once or again. @param actor as the audit trail has it */
    endOther: (actor: string, accountId: string, session: EndedSession): Promise<void> =>
      transactionOf(accountId, async (tx) => {
        if (!(await storeEnd(tx, session))) return;
        await recordChange(tx, { actor, kind: 'session', subject: session.id, before: JSON.stringify({ accountId }) });
      }),
    /** The same as {@link endAllIn}, in a transaction of its own. */
    endAll: (actor: string, accountId: string, ttlSeconds: number): Promise<SessionCutoff> =>
      transactionOf(accountId, (tx) => endAllIn(tx, actor, accountId, ttlSeconds)),

    /** Deletes from where the sessions of an account began, and its API keys. */
    async forget(accountId: string): Promise<void> {
      await prisma.session.deleteMany({ where: { accountId } });
      await prisma.apiKey.deleteMany({ where: { accountId } });
    },

    /** Passes on everything that has ended and not expired. */
    async load(add: (one: EndedSession | SessionCutoff) => void): Promise<void> {
      const sessions = kysely.selectFrom('ended_sessions').select(sessionColumns).orderBy('id');
      const cutoffs = kysely.selectFrom('session_cutoffs').select(cutoffColumns).orderBy('account_id');
      for await (const rows of readInBatches<EndedSession>((last, limit) =>
        (last ? sessions.where('id', '>', last.id) : sessions).limit(limit).execute(),
      ))
        rows.forEach(add);
      for await (const rows of readInBatches<SessionCutoff>((last, limit) =>
        (last ? cutoffs.where('account_id', '>', last.accountId) : cutoffs).limit(limit).execute(),
      ))
        rows.forEach(add);
    },

    async deleteForgotten(): Promise<void> {
      const until = new Date(Date.now() - keptMs);
      await deleteInBatches((limit) => prisma.session.deleteMany({ where: { expiresAt: { lt: new Date() } }, limit }));
      await deleteInBatches((limit) => prisma.endedSession.deleteMany({ where: { expiresAt: { lt: until } }, limit }));
      await deleteInBatches((limit) =>
        kysely
          .deleteFrom('session_cutoffs')
          // A repeated DELETE /auth/sessions may have prolonged it since the subquery, which a `limit` of Prisma's overlooks.
          .where('expires_at', '<', until)
          .where('account_id', 'in', (db) =>
            db.selectFrom('session_cutoffs').select('account_id').where('expires_at', '<', until).limit(limit),
          )
          .executeTakeFirstOrThrow(),
      );
    },
  };
}
