import type { changeKinds } from '../values/audit.ts';
import { deleteInBatches } from './batches.ts';
import { beginsWith, isoTime } from './keyset.ts';
import { allOf } from './read-page.ts';
import { empty, literal, raw, type Sql, type Statements, sql } from './sql.ts';
import type { Transaction } from './transaction.ts';

// The table `audit`, which is the same in the database of every service that has it. It has ids and what operators type, and
// no e-mail address: an account is its id, which leads to nobody once the account is deleted.

/** States are JSON text; one that is undefined was not there, or is not there any more. Expressions are of the row that was changed. */
interface Change {
  /** As the input of a route has it. */
  actor: string;
  kind: (typeof changeKinds)[number];
  subject: string | Sql;
  before?: string | Sql | undefined;
  after?: string | undefined;
}

const keptDays = 400;

/** Records a change in its transaction, so that nothing is lost and nothing is recorded that did not happen. */
export async function recordChange(tx: Transaction, change: Change): Promise<void> {
  await tx.run(insertChange(change));
}

/** The same as a part of the statement of the change. @param from what there has to be, such as `from changed` */
export function insertChange({ actor, kind, subject, before, after }: Change, from = empty): Sql {
  return sql`
    insert into audit (actor, kind, subject, before, after)
    select ${actor}, ${kind}, ${subject}::uuid, ${before ?? null}::jsonb, ${after ?? null}::jsonb ${from}`;
}

/** What an operator can look at. */
type Seen = 'account' | 'roles' | 'keys' | 'sessions' | 'order' | 'orders' | 'mail';

/** Records that an operator looks at something of a customer, before it is shown. */
export type RecordLook = (actor: string, subject: string, at: Seen) => Promise<void>;

/** A page that is shown again and again is one look an hour. */
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
  /** Id of the entry behind which to read on. */
  after?: string | undefined;
  /** How the id begins, as `uuidPrefix` gives it. */
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
