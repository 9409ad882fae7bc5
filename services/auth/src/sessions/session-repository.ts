import { recordChange } from '@store/shared/database/audit';
import { deleteInBatches, readInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { empty, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { cut } from '@store/shared/values/text';
import type { PrismaClient } from '../generated/client.ts';
import type { Session } from '../tokens/tokens.ts';
import type { EndedSession, SessionCutoff } from './ended-sessions.ts';

export type SessionRepository = ReturnType<typeof createSessionRepository>;

/** Channel that notifies replicas of ended sessions, cutoffs, roles and signed API keys, as JSON. The token check needs all of them. */
export const endedSessionsChannel = 'ended_sessions';

/** A time in seconds since 1970 with microseconds. Model calls return Dates, which have only milliseconds. */
export const secondsOf = (column: string) => raw(`extract(epoch from ${column})::float8`);

const cutoffColumns = sql`
  account_id as "accountId", ${secondsOf('ended_at')} as "endedAt", ${secondsOf('expires_at')} as "expiresAt"`;

/** PostgreSQL sends the notification at commit. */
export const notify = (json: string | Sql) => sql`pg_notify(${endedSessionsChannel}, ${json})`;

/** Stores the end of a session or an API key and notifies every replica. Idempotent. @returns false if it was already stored */
export async function storeEnd({ run }: Statements, { id, expiresAt }: EndedSession): Promise<boolean> {
  const [{ isNew }] = (await run(sql`
    with stored as (
      insert into ended_sessions (id, expires_at) values (${id}, to_timestamp(${expiresAt}))
      on conflict do nothing returning id
    )
    select exists (select from stored) as "isNew", ${notify(JSON.stringify({ id, expiresAt }))}`)) as [
    { isNew: boolean },
  ];
  return isNew;
}

/** Keeps other transactions from making keys for an account or ending all its sessions until this transaction ends. */
export const lockSessions = ({ send }: Transaction, accountId: string): void =>
  send(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 0))`);

/**
 * Ends all sessions and API keys that an account has now, and notifies every replica at commit.
 * @param actor who ends them, as the audit trail names them
 * @param ttlSeconds maximum lifetime of session tokens
 */
export async function endAllIn(
  tx: Transaction,
  actor: string,
  accountId: string,
  ttlSeconds: number,
): Promise<SessionCutoff> {
  lockSessions(tx, accountId);
  // Not now(), which is when the transaction began: a key may have been stored while it waited for the lock.
  const keys = await tx.run<{ id: string; scopes: string[]; expiresAt: number }>(sql`
    update api_keys set ended_at = statement_timestamp() where account_id = ${accountId} and ended_at is null
    returning id, scopes, ${secondsOf('expires_at')} as "expiresAt"`);
  for (const { id, scopes } of keys)
    recordChange(tx, { actor, kind: 'key', subject: id, before: JSON.stringify({ accountId, scopes }) });
  const before = JSON.stringify({ sessions: 'all' });
  recordChange(tx, { actor, kind: 'session', subject: accountId, before });
  const lastKey = Math.max(0, ...keys.map(({ expiresAt }) => expiresAt));
  const [cutoff] = (await tx.run(sql`
    with stored as (
      insert into session_cutoffs (account_id, ended_at, expires_at)
      values (
        ${accountId}, statement_timestamp(),
        greatest(statement_timestamp() + make_interval(secs => ${ttlSeconds}), to_timestamp(${lastKey}))
      )
      on conflict (account_id) do update set
        ended_at = greatest(session_cutoffs.ended_at, excluded.ended_at),
        expires_at = greatest(session_cutoffs.expires_at, excluded.expires_at)
      returning ${cutoffColumns}
    )
    select stored.*, ${notify(sql`row_to_json(stored)::text`)} from stored`)) as [SessionCutoff];
  return cutoff;
}

/** Only the newest sessions are listed. */
const maxListed = 100;

/** Where a session begins, in the input of a route. */
export interface Client {
  clientAddress: string | undefined;
  userAgent: string | undefined;
}

/** Characters of a User-Agent that are kept; browsers send about a hundred. */
const maxUserAgentLength = 300;

/** Expired an hour ago, so every replica has dropped it even if their clocks differ. */
const isLongExpired = sql`expires_at < now() - interval '1 hour'`;

export function createSessionRepository({ prisma, run, transactionOf }: Database<PrismaClient>) {
  return {
    /** Stores where the session began, for its customer to see. */
    async begin({ id, accountId, authenticatedAt, expiresAt }: Session, client: Client): Promise<void> {
      const userAgent = client.userAgent && cut(client.userAgent, maxUserAgentLength);
      await run(sql`
        insert into sessions (id, account_id, began_at, expires_at, address, user_agent)
        values (
          ${id}, ${accountId}, to_timestamp(${authenticatedAt}), to_timestamp(${expiresAt}), ${client.clientAddress},
          ${userAgent}
        )`);
    },
    /** Lists the sessions of an account that have not expired or ended, newest first, 100 at most. */
    listOpen: (accountId: string) =>
      run<Pick<Session, 'id' | 'authenticatedAt'> & { address: string | null; userAgent: string | null }>(sql`
        select id, ${secondsOf('began_at')} as "authenticatedAt", address, user_agent as "userAgent" from sessions
        where account_id = ${accountId} and expires_at > now()
          and not exists (select from ended_sessions where ended_sessions.id = sessions.id)
          and not exists (
            select from session_cutoffs as cutoff
            where cutoff.account_id = sessions.account_id and cutoff.ended_at >= sessions.began_at
          )
        order by began_at desc limit ${maxListed}`),
    /** Finds an unexpired session of an account, even if it has ended. */
    async find(accountId: string, id: string): Promise<EndedSession | undefined> {
      const where = { id, accountId, expiresAt: { gt: new Date() } };
      const session = await prisma.session.findUnique({ where, select: { expiresAt: true } });
      return session === null ? undefined : { id, expiresAt: session.expiresAt.getTime() / 1000 };
    },
    /** Idempotent. */
    end: (session: EndedSession): Promise<boolean> => storeEnd({ run }, session),
    /** Ends a session other than the caller's, with an entry in the audit trail. Idempotent. */
    endOther: (actor: string, accountId: string, session: EndedSession): Promise<void> =>
      transactionOf(accountId, async (tx) => {
        if (!(await storeEnd(tx, session))) return;
        recordChange(tx, { actor, kind: 'session', subject: session.id, before: JSON.stringify({ accountId }) });
      }),
    /** {@link endAllIn} in its own transaction. */
    endAll: (actor: string, accountId: string, ttlSeconds: number): Promise<SessionCutoff> =>
      transactionOf(accountId, (tx) => endAllIn(tx, actor, accountId, ttlSeconds)),

    /** Deletes the stored sessions and API keys of an account. */
    async forget(accountId: string): Promise<void> {
      await prisma.session.deleteMany({ where: { accountId } });
      await prisma.apiKey.deleteMany({ where: { accountId } });
    },

    /** Calls `add` with every ended session and cutoff that is stored. */
    async load(add: (one: EndedSession | SessionCutoff) => void): Promise<void> {
      const sessions = readInBatches<EndedSession>((last, limit) =>
        run(sql`
          select id, ${secondsOf('expires_at')} as "expiresAt" from ended_sessions
          ${last ? sql`where id > ${last.id}` : empty} order by id limit ${limit}`),
      );
      const cutoffs = readInBatches<SessionCutoff>((last, limit) =>
        run(sql`
          select ${cutoffColumns} from session_cutoffs
          ${last ? sql`where account_id > ${last.accountId}` : empty} order by account_id limit ${limit}`),
      );
      for await (const rows of sessions) rows.forEach(add);
      for await (const rows of cutoffs) rows.forEach(add);
    },

    async deleteExpired(): Promise<void> {
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from sessions where id in (select id from sessions where expires_at < now() limit ${limit})`,
      );
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from ended_sessions where id in (select id from ended_sessions where ${isLongExpired} limit ${limit})`,
      );
      await deleteInBatches(
        run,
        // Repeat the condition: another DELETE /auth/sessions may have extended it since the subquery.
        (limit) => sql`
          delete from session_cutoffs
          where ${isLongExpired} and account_id in (
            select account_id from session_cutoffs where ${isLongExpired} limit ${limit})`,
      );
    },
  };
}
