import type { changeKinds } from '../values/audit.ts';
import { deleteInBatches } from './batches.ts';
import { beginsWith, isoTime } from './keyset.ts';
import { allOf } from './read-page.ts';
import { empty, literal, raw, type Sql, type Statements, sql } from './sql.ts';
import type { Transaction } from './transaction.ts';

// The table `audit` is the same in every service that has it. It holds ids and text that operators type, but no e-mail
// address: an account is recorded by its id, which identifies no person after the account is deleted.

/** `before` and `after` are JSON text; undefined before creation and after deletion. Expressions refer to the changed row. */
interface Change {
  /** From the input of a route. */
  actor: string;
  kind: (typeof changeKinds)[number];
  subject: string | Sql;
  before?: string | Sql | undefined;
  after?: string | undefined;
}

const keptDays = 400;

/** Records a change in its transaction, so that the audit trail has exactly the changes that were committed. */
export const recordChange = (tx: Transaction, change: Change): void => tx.send(insertChange(change));

/** Records a change as a part of its statement. @param from clause without whose rows nothing is recorded, such as `from changed` */
export function insertChange({ actor, kind, subject, before, after }: Change, from = empty): Sql {
  return sql`
    insert into audit (actor, kind, subject, before, after)
    select ${actor}, ${kind}, ${subject}::uuid, ${before ?? null}::jsonb, ${after ?? null}::jsonb ${from}`;
}

/** Data that an operator can look at. */
type Seen = 'account' | 'roles' | 'keys' | 'sessions' | 'order' | 'orders' | 'mail';

/** Records that an operator looks at a customer's data, before it is shown. */
export type RecordLook = (actor: string, subject: string, at: Seen) => Promise<void>;

/** Records repeated looks at the same data at most once an hour. */
export const lookRecorder =
  ({ run }: Statements): RecordLook =>
  async (actor, subject, at) => {
    const after = JSON.stringify({ at });
    const isNew = sql`where not exists (
      select from audit where subject = ${subject}::uuid and actor = ${actor} and kind = 'look'
        and after = ${after}::jsonb and at > now() - interval '1 hour')`;
    await run(insertChange({ actor, kind: 'look', subject, after }, isNew));
  };

interface Asked {
  size: number;
  /** Id of the entry to continue after. */
  after?: string | undefined;
  /** The first digits of the id, from `uuidPrefix`. */
  subject?: string | undefined;
  actor?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Reads entries as JSON, the latest first. */
export async function readChanges({ run }: Statements, { size, after, subject, actor, from, to }: Asked) {
  const conditions: Sql[] = [];
  if (after !== undefined) conditions.push(sql`audit.id < ${after}::bigint`);
  if (subject !== undefined) conditions.push(beginsWith('subject', subject));
  if (actor !== undefined) conditions.push(sql`actor = any(${actor}::text[])`);
  if (from !== undefined) conditions.push(sql`at >= ${from}::timestamptz`);
  if (to !== undefined) conditions.push(sql`at < ${to}::timestamptz`);
  const rows = await run<{ id: string; json: string }>(sql`
    select id, row_to_json(entry)::text as json from (
      select id::text, ${raw(isoTime('at', 'MS'))} as at, actor, kind, subject, before, after from audit
      where ${allOf(conditions)}
      order by audit.id desc limit ${size + 1}::int) as entry`);
  const page = rows.slice(0, size);
  return { json: `[${page.map(({ json }) => json).join()}]`, next: rows.length > size ? page.at(-1)?.id : undefined };
}

export const deleteOldChanges = ({ run }: Statements): Promise<number> =>
  deleteInBatches(
    run,
    (limit) => sql`
      delete from audit where id in (
        select id from audit where at < now() - interval '${literal(keptDays)} days' limit ${limit})`,
  );
