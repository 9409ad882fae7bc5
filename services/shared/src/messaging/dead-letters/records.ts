import { Gauge } from 'prom-client';
import type { AuditOut, DecisionOut } from '../../contracts/dead-letters.ts';
import { insertChange } from '../../database/audit.ts';
import { isoTime } from '../../database/keyset.ts';
import { raw, type Statements, sql } from '../../database/sql.ts';
import { operatorActor } from '../../values/audit.ts';
import { storable } from '../../values/text.ts';
import { within } from '../../values/time.ts';
import type { LetterRef } from './dead-letters.ts';

// The table `dead_letters` is the same in every database of a consumer group (prisma/schema.prisma of the services). Its rows are
// never deleted, because the topic keeps its letters forever. Entries in the audit trail are deleted when they are old.

/** A scrape must not wait for a hung database. */
const countTimeoutMs = 3_000;
/** In characters; as long as a reason that an operator may give. */
const maxReason = 1_000;

interface Decision {
  outcome: DecisionOut['outcome'];
  /** Why the letter was discarded, or the error of the handler. */
  reason?: string;
  by: string;
}

/** Record of a letter in the database of its group. */
export interface LetterRecord {
  status: 'OPEN' | 'REDRIVEN' | 'DISCARDED';
  /** The number of failed redrives. */
  failures: number;
  /** Error of the last failed redrive, or why the event was refused. */
  error: string | null;
}

export const decisionOf = ({ letterId: _, eventId: __, ...decision }: AuditOut): DecisionOut => decision;

/**
 * Records that a letter is about to be written. While it is open, the id of its event is kept, so that a redrive
 * recognises an event that the group has processed by other means (contract 6.6).
 * @param refused why the handler refused the event, if it was processed in the same transaction
 */
export async function recordOpen({ run }: Statements, letter: LetterRef, refused?: string): Promise<void> {
  const { group, id, eventId } = letter;
  await run(sql`
    insert into dead_letters (consumer_group, id, event_id, error)
    values (${group}, ${id}, ${eventId}, ${refused && storable(refused, maxReason)})
    on conflict do nothing`);
}

/**
 * Records a decision with its entry in the audit trail, unless the letter was redriven or discarded before. In a transaction
 * it locks the letter until the end: if two operators decide at once, the second waits and finds it decided.
 * @returns whether the decision was recorded
 */
export async function decide({ run }: Statements, letter: LetterRef, decision: Decision): Promise<boolean> {
  const { group, id, eventId } = letter;
  const { outcome, by } = decision;
  const reason = decision.reason && storable(decision.reason, maxReason);
  const [status, failures, error] = outcome === 'FAILED' ? ['OPEN', 1, reason] : [outcome, 0, undefined];
  const change = {
    actor: operatorActor(by),
    kind: 'dead letter',
    subject: id,
    before: JSON.stringify({ group, status: 'OPEN' }),
    after: JSON.stringify({ group, status, outcome, reason }),
  } as const;
  const rows = await run(sql`
    with letter as (
      insert into dead_letters (consumer_group, id, event_id, status, failures, error)
      values (${group}, ${id}, ${eventId}, ${status}, ${failures}, ${error})
      on conflict (consumer_group, id) do update set
        status = excluded.status,
        failures = dead_letters.failures + excluded.failures,
        error = coalesce(excluded.error, dead_letters.error)
      where dead_letters.status = 'OPEN'
      returning id
    )
    ${insertChange(change, sql`from letter`)} returning id`);
  return rows.length > 0;
}

/** Reads the records of a group's letters, by letter id. @param ids only these letters; default all */
export async function recordsOf({ run }: Statements, group: string, ids?: string[]) {
  const rows = await run<LetterRecord & { id: string }>(sql`
    select id::text, status, failures, error from dead_letters
    where consumer_group = ${group} and (${ids ?? null}::uuid[] is null or id = any(${ids ?? null}))`);
  return new Map<string, LetterRecord>(rows.map(({ id, ...record }) => [id, record]));
}

/** Counts the letters of a group that are neither redriven nor discarded. Letters are recorded before they are written. */
export async function countOpen({ run }: Statements, group: string): Promise<number> {
  const rows = await run<{ open: number }>(sql`
    select count(*)::int as open from dead_letters where consumer_group = ${group} and status = 'OPEN'`);
  return rows[0]?.open ?? 0;
}

/** Reports the number of open letters. While the database does not answer, the last count stays, so that no alert ends early. */
export function reportOpenLetters(database: Statements, group: string): void {
  new Gauge({
    name: 'dead_letters_open',
    help: 'Dead letters of the group that are neither redriven nor discarded.',
    labelNames: ['group'],
    async collect() {
      const open = await within(countTimeoutMs, countOpen(database, group)).catch(() => undefined);
      if (open !== undefined) this.set({ group }, open);
    },
  });
}

/** Reads a group's audit trail, oldest first. @param ids only these letters; default all @param latest only so many of the newest entries */
export async function auditOf({ run }: Statements, group: string, ids?: string[], latest?: number) {
  const rows = await run<AuditOut>(sql`
    select subject::text as "letterId", event_id::text as "eventId", after->>'outcome' as outcome,
      after->>'reason' as reason, substr(actor, ${operatorActor('').length + 1}) as "requestedBy",
      ${raw(isoTime('at', 'MS'))} as at
    from audit join dead_letters letter on letter.id = subject and consumer_group = after->>'group'
    where kind = 'dead letter' and consumer_group = ${group}
      and (${ids ?? null}::uuid[] is null or subject = any(${ids ?? null}))
    order by audit.id desc limit ${latest ?? null}::int`);
  return rows.reverse();
}
