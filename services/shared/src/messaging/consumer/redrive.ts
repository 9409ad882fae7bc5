import type { DiscardIn, RedriveIn, ResultOut } from '../../contracts/dead-letters.ts';
import type { Database } from '../../database/database.ts';
import type { Statements } from '../../database/sql.ts';
import { DomainError, messageOf } from '../../values/errors.ts';
import { type DeadLetter, readDeadLetters } from '../dead-letters/dead-letters.ts';
import { auditOf, decide, decisionOf, type LetterRecord, recordsOf } from '../dead-letters/records.ts';
import { readEvent } from '../events.ts';
import type { KafkaOptions } from '../kafka/client.ts';
import { type ConsumerGroup, kindsOf } from './group.ts';
import { isUnavailable, processEvents } from './process.ts';
import { rehearse } from './rehearse.ts';

/** Outcome for a letter; in a dry run, the expected outcome. */
export type Result = Omit<ResultOut, 'id'>;

/** Access to a group's letters: on the topic, and in its database. */
export interface Letters<Client> {
  broker: KafkaOptions;
  group: ConsumerGroup<Client>;
  database: Pick<Database<Client>, 'run' | 'inTransaction'>;
}

/** Lists the letters that were neither redriven nor discarded, or all letters of an order: at most `limit`, and their total number. */
export async function listDeadLetters<Client>(
  { broker, group: { name }, database }: Letters<Client>,
  { ids, orderId, limit = 500 }: { ids?: string[]; orderId?: string | undefined; limit?: number } = {},
) {
  const open = { letters: [] as DeadLetter[], total: 0 };
  const seen = new Set<string>();
  let records: Map<string, LetterRecord> | undefined;
  await readDeadLetters(broker, async (letter) => {
    const { id, attempts, error, message } = letter;
    if (letter.group !== name || (orderId !== undefined && message.key?.toLowerCase() !== orderId)) return;
    if (seen.has(id) || ids?.includes(id) === false) return;
    records ??= await recordsOf(database, name);
    const record = records.get(id);
    if (orderId === undefined && isDecided(record)) return;
    seen.add(id);
    open.total += 1;
    if (open.letters.length === limit) return;
    open.letters.push({ ...letter, attempts: attempts + (record?.failures ?? 0), error: record?.error ?? error });
  });
  return open;
}

/**
 * Hands dead letters to their group again, one at a time, while the group continues. The handler, the id of the event, the
 * decision and its audit entry are one transaction. So a letter is handled once or stays open, even if somebody else redrives it
 * or this process ends. A letter that fails again stays open with one more attempt.
 * @throws DomainError notFound before anything is done; the error of an unavailable dependency, and letters not yet handled stay open
 */
export async function redrive<Client>(letters: Letters<Client>, request: RedriveIn): Promise<Map<string, Result>> {
  const { group, database } = letters;
  const { by, dryRun } = request;
  const kinds = kindsOf(group);
  return eachLetter(letters, request.ids, async (letter) => {
    try {
      const event = readEvent(letter.message, kinds);
      if (dryRun) return await rehearse(group, database, event);
      let isOurs = false as boolean;
      await processEvents(group, database, event === undefined ? [] : [event], async (tx) => {
        isOurs = await decide(tx, letter, { outcome: 'REDRIVEN', by });
        return isOurs;
      });
      return isOurs ? { outcome: 'REDRIVEN' } : undefined;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const failed: Result = { outcome: 'FAILED', error: messageOf(error) };
      if (dryRun) return failed;
      const isOpen = await decide(database, letter, { outcome: 'FAILED', by, reason: messageOf(error) });
      return isOpen ? failed : undefined;
    }
  });
}

/** Discards letters, so that they are never redriven or listed. @throws DomainError notFound before anything is done */
export async function discard<Client>(letters: Letters<Client>, request: DiscardIn): Promise<Map<string, Result>> {
  const { ids, by, dryRun, reason } = request;
  return eachLetter(letters, ids, async (letter) => {
    const isOurs = dryRun || (await decide(letters.database, letter, { outcome: 'DISCARDED', reason, by }));
    return isOurs ? { outcome: 'DISCARDED' } : undefined;
  });
}

const isDecided = (record: LetterRecord | undefined) => record !== undefined && record.status !== 'OPEN';

async function earlierDecision(database: Statements, { group, id }: DeadLetter): Promise<Result> {
  const entries = await auditOf(database, group, [id]);
  const entry = entries.findLast(({ outcome }) => outcome !== 'FAILED');
  return { outcome: 'DECIDED', decision: entry && decisionOf(entry) };
}

/**
 * Runs work for each letter, after all have been found.
 * @param work not called for letters that were decided before; returns undefined if the letter was decided in the meantime
 * @returns the results by letter id
 */
async function eachLetter<Client>(
  { broker, group, database }: Letters<Client>,
  ids: string[],
  work: (letter: DeadLetter) => Promise<Result | undefined>,
): Promise<Map<string, Result>> {
  const records = await recordsOf(database, group.name);
  const missing = new Set(ids);
  const found: DeadLetter[] = [];
  await readDeadLetters(broker, (letter) => {
    if (letter.group === group.name && missing.delete(letter.id)) found.push(letter);
  });
  if (missing.size > 0)
    throw new DomainError('notFound', `${group.name} has no dead letter ${[...missing].join(', ')}.`);
  const results = new Map<string, Result>();
  for (const letter of found) {
    const result = isDecided(records.get(letter.id)) ? undefined : await work(letter);
    results.set(letter.id, result ?? (await earlierDecision(database, letter)));
  }
  return results;
}
