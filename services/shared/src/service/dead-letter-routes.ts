import { z } from 'zod';
import {
  auditOut,
  discardIn,
  type LetterOut,
  lettersOut,
  lettersQuery,
  openOut,
  redriveIn,
  resultsOut,
  wholeLetterOut,
} from '../contracts/dead-letters.ts';
import type { Database } from '../database/database.ts';
import { type AnyRoute, ok, problem, route } from '../http/route.ts';
import { brokersFrom } from '../messaging/config.ts';
import { consumerMetrics } from '../messaging/consumer/metrics.ts';
import type { Letters, Result } from '../messaging/consumer/redrive.ts';
import type { DeadLetter } from '../messaging/dead-letters/dead-letters.ts';
import { auditOf, countOpen, decisionOf } from '../messaging/dead-letters/records.ts';
import { createLog } from '../observability/log.ts';
import { DomainError, unavailable } from '../values/errors.ts';
import { uuid } from '../values/fields.ts';
import { cut } from '../values/text.ts';
import { auditRoute } from './audit.ts';
import type { ServiceConsumer } from './service.ts';

type DeadLetters = typeof import('../messaging/consumer/redrive.ts');

const path = '/internal/dead-letters';

const maxEntries = 500;
const maxCharacters = 4_000;

/** Makes the operators' routes of a consumer group: its dead letters (contract 4.13) and the audit trail. */
export function deadLetterRoutes<Client>(
  { group, config }: ServiceConsumer<Client>,
  database: Database<Client>,
): AnyRoute[] {
  const { name } = group;

  /** @throws DomainError unavailable if the broker does not answer */
  async function asking<T>(work: (deadLetters: DeadLetters, letters: Letters<Client>) => Promise<T>): Promise<T> {
    // Loaded with the first request, because building a service without starting it needs no Kafka client.
    const [deadLetters, { isKafkaError }] = await Promise.all([
      import('../messaging/consumer/redrive.ts'),
      import('../messaging/kafka/client.ts'),
    ]);
    const log = createLog(name, 'silent'); // a failure fails the request, which is logged
    const broker = { ...brokersFrom(config), clientId: `${name}-letters`, log };
    try {
      return await work(deadLetters, { broker, group, database });
    } catch (error) {
      throw isKafkaError(error) ? unavailable('Kafka', error) : error;
    }
  }
  const list = (selected: { ids?: string[]; orderId?: string | undefined }) =>
    asking(({ listDeadLetters }, letters) => listDeadLetters(letters, selected));

  async function decided(dryRun: boolean, deciding: Promise<Map<string, Result>>) {
    const results = await deciding;
    // Does not count a dry run or earlier decisions.
    for (const { outcome } of dryRun ? [] : results.values()) {
      if (outcome !== 'DECIDED') consumerMetrics.decided.inc({ group: name, outcome: outcome.toLowerCase() });
    }
    return ok({ group: name, results: Array.from(results, ([id, result]) => ({ id, ...result })) });
  }

  const asked = { identity: 'caller', method: 'get' } as const;
  const deciding = {
    identity: 'caller',
    method: 'post',
    responses: {
      200: { description: 'The outcome of each letter; in a dry run, the expected outcome.', body: resultsOut },
      404: problem('The group has no letter with one of the ids; nothing was done.'),
    },
  } as const;
  return [
    route({
      ...asked,
      path,
      query: lettersQuery,
      responses: {
        200: {
          description: 'The letters that were neither redriven nor discarded, or all letters of an order.',
          body: lettersOut,
        },
      },
      async handler({ query: { orderId } }) {
        const { letters, total } = await list({ orderId });
        if (orderId === undefined) return ok({ group: name, total, letters: letters.map(toLetterOut) });
        const ids = letters.map(({ id }) => id);
        const trail = ids.length === 0 ? [] : await auditOf(database, name, ids);
        const withDecisions = letters.map((letter) => ({
          ...toLetterOut(letter),
          decisions: trail.filter(({ letterId }) => letterId === letter.id).map(decisionOf),
        }));
        return ok({ group: name, total, letters: withDecisions });
      },
    }),
    route({
      ...asked,
      path: `${path}/count`,
      responses: { 200: { description: 'The number of open letters.', body: openOut } },
      handler: async () => ok({ group: name, open: await countOpen(database, name) }),
    }),
    route({
      ...asked,
      path: `${path}/audit`,
      responses: { 200: { description: 'The audit trail.', body: auditOut } },
      handler: async () => ok({ group: name, entries: await auditOf(database, name, undefined, maxEntries) }),
    }),
    route({
      ...deciding,
      path: `${path}/redrive`,
      body: redriveIn,
      handler: ({ body }) =>
        decided(
          body.dryRun,
          asking(({ redrive }, letters) => redrive(letters, body)),
        ),
    }),
    route({
      ...deciding,
      path: `${path}/discard`,
      body: discardIn,
      handler: ({ body }) =>
        decided(
          body.dryRun,
          asking(({ discard }, letters) => discard(letters, body)),
        ),
    }),
    // Must be last: otherwise the fixed paths above would be taken for ids.
    route({
      ...asked,
      path: `${path}/{id}`,
      params: z.object({ id: uuid }),
      responses: {
        200: { description: 'The letter, with its headers and its whole value.', body: wholeLetterOut },
        404: problem('The group has no open letter with this id.'),
      },
      async handler({ params: { id } }) {
        const [letter] = (await list({ ids: [id] })).letters;
        if (letter === undefined) throw new DomainError('notFound', `${name} has no open dead letter ${id}.`);
        const { headers, value } = letter.message;
        const published = Object.entries(headers).filter(([header]) => !header.startsWith('dlq_'));
        const texts = Object.fromEntries(published.map(([header, text]) => [header, text ?? null]));
        return ok({ ...toLetterOut(letter), value: value ?? null, headers: texts });
      },
    }),
    auditRoute(database),
  ];
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
  value: message.value === undefined ? null : cut(message.value, maxCharacters),
});
