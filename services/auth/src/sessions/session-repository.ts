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

/** On which replicas hear of what has ended and of roles, as JSON: a token check needs both. */
export const endedSessionsChannel = 'ended_sessions';

/** A time in seconds since 1970, with microseconds, which the Dates of model calls lack. */
export const secondsOf = (column: string) => raw(`extract(epoch from ${column})::float8`);

const cutoffColumns = sql`
  account_id as "accountId", ${secondsOf('ended_at')} as "endedAt", ${secondsOf('expires_at')} as "expiresAt"`;

/** Sent by PostgreSQL when the statement is committed. */
export const notify = (json: string | Sql) => sql`pg_notify(${endedSessionsChannel}, ${json})`;

/** Stores the end of a session or an API key, once or again, and tells every replica. @returns false if it was stored before */
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

/** Until the end of the transaction nobody else makes a key of an account or ends all of its sessions. */
export const lockSessions = ({ run }: Transaction, accountId: string) =>
  run(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 0))`);

/**
 * Ends all sessions and API keys of an account that began before, in a transaction, and tells every replica.
 * @param actor who ends them, as the audit trail has it
 * @param ttlSeconds how long the tokens of sessions live at most
 */
export async function endAllIn(
  tx: Transaction,
  actor: string,
  accountId: string,
  ttlSeconds: number,
): Promise<SessionCutoff> {
  await lockSessions(tx, accountId);
  // By `statement_timestamp()`, not by when the transaction began, while a key may have been under way.
  const keys = await tx.run<{ id: string; scopes: string[]; expiresAt: number }>(sql`
    update api_keys set ended_at = statement_timestamp() where account_id = ${accountId} and ended_at is null
    returning id, scopes, ${secondsOf('expires_at')} as "expiresAt"`);
  for (const { id, scopes } of keys)
    await recordChange(tx, { actor, kind: 'key', subject: id, before: JSON.stringify({ accountId, scopes }) });
  const before = JSON.stringify({ sessions: 'all' });
  await recordChange(tx, { actor, kind: 'session', subject: accountId, before });
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

/** Sessions that are listed: the others have begun before. */
const maxListed = 100;

/** From where a session begins, as the input of a route has it. */
export interface Client {
  clientAddress: string | undefined;
  userAgent: string | undefined;
}

/** The name of a browser takes some hundred characters. */
const maxName = 300;

/** Of what all replicas have forgotten since it expired, though their clocks differ. */
const isForgotten = sql`expires_at < now() - interval '1 hour'`;

export function createSessionRepository({ prisma, run, transactionOf }: Database<PrismaClient>) {
  return {
    /** Stores from where the session began, for its customer to see. */
    async begin({ id, accountId, authenticatedAt, expiresAt }: Session, client: Client): Promise<void> {
      const userAgent = client.userAgent && cut(client.userAgent, maxName);
      await run(sql`
        insert into sessions (id, account_id, began_at, expires_at, address, user_agent)
        values (
          ${id}, ${accountId}, to_timestamp(${authenticatedAt}), to_timestamp(${expiresAt}), ${client.clientAddress},
          ${userAgent}
        )`);
    },
    /** Lists the sessions of an account that have neither expired nor ended, the newest first, 100 at most. */
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
    /** Finds a session of an account that has not expired, even if it has ended. */
    async find(accountId: string, id: string): Promise<EndedSession | undefined> {
      const where = { id, accountId, expiresAt: { gt: new Date() } };
      const session = await prisma.session.findUnique({ where, select: { expiresAt: true } });
      return session === null ? undefined : { id, expiresAt: session.expiresAt.getTime() / 1000 };
    },
    /** Once or again. */
    end: (session: EndedSession): Promise<boolean> => storeEnd({ run }, session),
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

    async deleteForgotten(): Promise<void> {
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from sessions where id in (select id from sessions where expires_at < now() limit ${limit})`,
      );
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from ended_sessions where id in (select id from ended_sessions where ${isForgotten} limit ${limit})`,
      );
      await deleteInBatches(
        run,
        // A repeated DELETE /auth/sessions may have prolonged it since the subquery.
        (limit) => sql`
          delete from session_cutoffs
          where ${isForgotten} and account_id in (
            select account_id from session_cutoffs where ${isForgotten} limit ${limit})`,
      );
    },
  };
}
