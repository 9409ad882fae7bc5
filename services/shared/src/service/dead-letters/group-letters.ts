import kafkajs from 'kafkajs'; // Node does not find its errors by name
import type { Kysely } from 'kysely';
import type { LetterOut, ResultOut } from '../../contracts/dead-letters.ts';
import { brokersFrom } from '../../messaging/config.ts';
import type { DeadLetter } from '../../messaging/dead-letters/dead-letters.ts';
import { type AuditEntry, auditOf, countOpen } from '../../messaging/dead-letters/records.ts';
import {
  discard,
  type ListRequest,
  listDeadLetters,
  type Result,
  redrive,
  UnknownLetterError,
} from '../../messaging/dead-letters/redrive.ts';
import { createKafka } from '../../messaging/kafkajs/client.ts';
import { createLog } from '../../observability/log.ts';
import { DomainError, messageOf, unavailable } from '../../values/errors.ts';
import type { ServiceConsumer } from '../service.ts';

const maxLetters = 500;
const maxCharacters = 4_000;

export interface Selection {
  ids: string[];
  by: string;
  dryRun: boolean;
}

/** The dead letters of a service's own group, for its routes. */
export function groupLetters<Tables>({ group, config }: ServiceConsumer<Tables>, database: Kysely<Tables>) {
  const log = createLog(group.name, 'silent'); // failures are those of the request, which is logged
  const kafka = createKafka({ ...brokersFrom(config), clientId: `${group.name}-letters`, log });
  const own = { kafka, group, database };
  const list = (selected: Pick<ListRequest, 'ids' | 'limit' | 'orderId'>) =>
    asking(() => listDeadLetters({ kafka, group: group.name, database, ...selected }));

  async function decided(work: () => Promise<Map<string, Result>>) {
    const results = await asking(work);
    return { group: group.name, results: Array.from(results, ([id, result]) => toResultOut(id, result)) };
  }

  return {
    /** @param orderId of the order whose letters are listed, with what was decided about them; default: all that are open */
    async list(orderId?: string) {
      const { letters, total } = await list({ limit: maxLetters, orderId });
      if (orderId === undefined) return { group: group.name, total, letters: letters.map(toLetterOut) };
      const ids = letters.map(({ id }) => id);
      const trail = ids.length === 0 ? [] : await auditOf(database, group.name, ids);
      const decided = letters.map((letter) => ({
        ...toLetterOut(letter),
        decisions: trail.filter(({ letterId }) => letterId === letter.id).map(toDecisionOut),
      }));
      return { group: group.name, total, letters: decided };
    },
    /** @throws DomainError notFound if no letter of this id is open */
    async whole(id: string) {
      const { letters } = await list({ ids: [id] });
      const [letter] = letters;
      if (letter === undefined) throw new DomainError('notFound', `${group.name} has no open dead letter ${id}.`);
      const { headers, value } = letter.message;
      const published = Object.entries(headers).filter(([name]) => !name.startsWith('dlq_'));
      const texts = Object.fromEntries(published.map(([name, text]) => [name, text ?? null]));
      return { ...toLetterOut(letter), value: value ?? null, headers: texts };
    },
    count: async () => ({ group: group.name, open: await countOpen(database, group.name) }),
    async audit() {
      const entries = await auditOf(database, group.name, undefined, maxLetters);
      return { group: group.name, entries: entries.map(toEntryOut) };
    },
    redrive: ({ ids, by, dryRun: isDryRun }: Selection) => decided(() => redrive(own, { ids, by, isDryRun })),
    discard: ({ ids, by, dryRun: isDryRun, reason }: Selection & { reason: string }) =>
      decided(() => discard(own, { ids, by, isDryRun, reason })),
  };
}

/** @throws DomainError notFound for an unknown letter, unavailable without an answer of the broker */
async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnknownLetterError) throw new DomainError('notFound', error.message, { cause: error });
    if (error instanceof kafkajs.KafkaJSError) throw unavailable('Kafka', error);
    throw error;
  }
}

const toLetterOut = ({ id, eventId, kind, attempts, error, time, message }: DeadLetter): LetterOut => ({
  id,
  eventId: eventId ?? null,
  kind: kind ?? null,
  orderId: message.key ?? null,
  attempts,
  error,
  time: Number.isNaN(time.getTime()) ? null : time.toISOString(),
  origin: `${message.origin.topic} ${message.origin.partition}:${message.origin.offset}`,
  value: message.value?.slice(0, maxCharacters) ?? null,
});

const toDecisionOut = ({ outcome, reason, requestedBy, at }: AuditEntry) => ({
  outcome,
  reason,
  requestedBy,
  at: at.toISOString(),
});

const toEntryOut = (entry: AuditEntry) => ({
  letterId: entry.letterId,
  eventId: entry.eventId,
  ...toDecisionOut(entry),
});

function toResultOut(id: string, result: Result): ResultOut {
  if (result.outcome === 'FAILED') {
    return { id, outcome: 'FAILED', error: messageOf(result.error) };
  }
  if ('effect' in result) return { id, ...result };
  if (result.outcome !== 'DECIDED' || result.decision === undefined) return { id, outcome: result.outcome };
  return { id, outcome: 'DECIDED', decision: toDecisionOut(result.decision) };
}
