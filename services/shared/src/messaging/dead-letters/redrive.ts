import type { Kafka } from 'kafkajs';
import type { Kysely, QueryExecutorProvider } from 'kysely';
import { messageOf } from '../../values/errors.ts';
import { type ConsumerGroup, handleOnce, isUnavailable } from '../consumer/handle-once.ts';
import { rehearse } from '../consumer/rehearse.ts';
import { type OrderEvent, readEvent } from '../events.ts';
import { type DeadLetter, readDeadLetters } from './dead-letters.ts';
import { type AuditEntry, auditOf, decide, type LetterRecord, recordsOf } from './records.ts';

/** Outcome for a letter, or the one that it would have in a dry run. */
export type Result =
  | { outcome: 'REDRIVEN' | 'DISCARDED' }
  /** Result of a dry run alone. */
  | { outcome: 'REDRIVEN' | 'UNKNOWN'; effect: string }
  /** The handler failed again, or the message is still poison; the letter stays open. */
  | { outcome: 'FAILED'; error: unknown }
  /** It had been redriven or discarded before, and nothing was done. */
  | { outcome: 'DECIDED'; decision: AuditEntry | undefined };

interface Request<Tables> {
  kafka: Kafka;
  /** Whose letters, and what handles them. */
  group: ConsumerGroup<Tables>;
  /** Where decisions are kept. */
  database: Kysely<Tables>;
  /** The one who asks, for the audit trail. */
  by: string;
  /** Changes nothing: the handler's changes are taken back, and one that asks others is not called. */
  isDryRun?: boolean;
  onResult(letter: DeadLetter, result: Result): void;
}

export interface RedriveRequest<Tables> extends Request<Tables> {
  /** Default: all open letters. */
  ids?: string[] | undefined;
}

export interface DiscardRequest<Tables> extends Request<Tables> {
  ids: string[];
  reason: string;
}

export interface OpenLetters {
  /** The first of them, as many as were asked for. */
  letters: DeadLetter[];
  total: number;
}

export class UnknownLetterError extends Error {
  constructor(group: string, ids: string[]) {
    super(`${group} has no dead letter ${ids.join(', ')}.`);
    this.name = 'UnknownLetterError';
  }
}

export interface ListRequest {
  kafka: Kafka;
  /** Returns what a group's database knows about its letters; undefined: letters of that group are left out. */
  known(group: string): Promise<Map<string, LetterRecord>> | undefined;
  /** Default: all open letters. */
  ids?: string[] | undefined;
  /** Largest number of letters held in memory; default 1000. */
  limit?: number;
  /** Only letters of this order, those that are decided as well. */
  orderId?: string | undefined;
}

/** The letters that were neither redriven nor discarded, or all of an order. */
export async function listDeadLetters({
  kafka,
  known,
  ids,
  limit = 1_000,
  orderId,
}: ListRequest): Promise<OpenLetters> {
  const open: OpenLetters = { letters: [], total: 0 };
  const records = new Map<string, Map<string, LetterRecord> | undefined>();
  const seen = new Set<string>();
  await readDeadLetters(kafka, async (letter) => {
    const { group, id, attempts, error, message } = letter;
    if (orderId !== undefined && message.key?.toLowerCase() !== orderId) return;
    if (seen.has(id) || ids?.includes(id) === false) return;
    if (!records.has(group)) records.set(group, await known(group));
    const ofGroup = records.get(group);
    const record = ofGroup?.get(id);
    if (ofGroup === undefined || (orderId === undefined && isDecided(record))) return;
    seen.add(id);
    open.total += 1;
    if (open.letters.length === limit) return;
    open.letters.push({ ...letter, attempts: attempts + (record?.failures ?? 0), error: record?.error ?? error });
  });
  return open;
}

/**
 * Hands a group its dead letters again, one at a time, while the group goes on. The handler, the id of the event, the
 * decision and its audit entry are one transaction, so that whoever else redrives, and whenever this process ends, a
 * letter is handled once or stays open. One that fails again stays open with one more attempt.
 * @throws UnknownLetterError before anything is done; whatever makes a dependency unavailable, and the rest stays open
 */
export async function redrive<Tables>(request: RedriveRequest<Tables>): Promise<void> {
  const { kafka, group, database, ids, by, isDryRun, onResult } = request;
  const kinds: ReadonlySet<string> = new Set(group.kinds);
  const records = await recordsOf(database, group.name);

  async function redriveDry(event: OrderEvent | undefined): Promise<Result> {
    if (event === undefined)
      return { outcome: 'REDRIVEN', effect: `${group.name} skips this kind: it would do nothing.` };
    const { isKnown, effect } = await rehearse(group, database, event);
    return { outcome: isKnown ? 'REDRIVEN' : 'UNKNOWN', effect };
  }

  async function redriveOne(letter: DeadLetter): Promise<Result> {
    try {
      const event = readEvent(letter.message, kinds);
      if (isDryRun) return await redriveDry(event);
      let isOurs = false as boolean;
      await handleOnce(group, database, event === undefined ? [] : [event], async (tx) => {
        isOurs = await decide(tx, letter, { outcome: 'REDRIVEN', by });
        return isOurs;
      });
      return isOurs ? { outcome: 'REDRIVEN' } : await earlierDecision(database, letter);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (isDryRun) return { outcome: 'FAILED', error };
      const reason = messageOf(error);
      const isOpen = await decide(database, letter, { outcome: 'FAILED', by, reason });
      return isOpen ? { outcome: 'FAILED', error } : await earlierDecision(database, letter);
    }
  }

  const next = async (letter: DeadLetter) => {
    if (!isDecided(records.get(letter.id))) onResult(letter, await redriveOne(letter));
    else if (ids !== undefined) onResult(letter, await earlierDecision(database, letter));
  };
  await eachLetter(kafka, group.name, ids, next);
}

/**
 * Decides that letters are never redriven. They stay on the topic and are no longer listed.
 * @throws UnknownLetterError before anything is done
 */
export async function discard<Tables>(request: DiscardRequest<Tables>): Promise<void> {
  const { kafka, group, database, ids, reason, by, isDryRun, onResult } = request;
  const records = await recordsOf(database, group.name);
  await eachLetter(kafka, group.name, ids, async (letter) => {
    const isOurs = isDryRun
      ? !isDecided(records.get(letter.id))
      : await decide(database, letter, { outcome: 'DISCARDED', reason, by });
    onResult(letter, isOurs ? { outcome: 'DISCARDED' } : await earlierDecision(database, letter));
  });
}

const isDecided = (record: LetterRecord | undefined) => record !== undefined && record.status !== 'OPEN';

async function earlierDecision(database: QueryExecutorProvider, { group, id }: DeadLetter): Promise<Result> {
  const entries = await auditOf(database, group, [id]);
  return { outcome: 'DECIDED', decision: entries.findLast(({ outcome }) => outcome !== 'FAILED') };
}

/** Each letter of the group, or each with one of the ids once all of them were found. */
async function eachLetter(
  kafka: Kafka,
  group: string,
  ids: string[] | undefined,
  work: (letter: DeadLetter) => Promise<void>,
): Promise<void> {
  const missing = new Set(ids);
  const found: DeadLetter[] = [];
  const seen = new Set<string>();
  await readDeadLetters(kafka, async (letter) => {
    if (letter.group !== group) return;
    if (missing.delete(letter.id)) found.push(letter);
    if (ids !== undefined || seen.has(letter.id)) return;
    seen.add(letter.id);
    await work(letter);
  });
  if (missing.size > 0) throw new UnknownLetterError(group, [...missing]);
  for (const letter of found) await work(letter);
}
