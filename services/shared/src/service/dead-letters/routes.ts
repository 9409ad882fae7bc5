import type { Kysely } from 'kysely';
import { z } from 'zod';
import {
  auditOut,
  discardIn,
  lettersOut,
  lettersQuery,
  openOut,
  redriveIn,
  resultsOut,
  wholeLetterOut,
} from '../../contracts/dead-letters.ts';
import { type AnyRoute, ok, problem, route, unavailable } from '../../http/route.ts';
import { consumerMetrics } from '../../messaging/consumer/metrics.ts';
import { uuid } from '../../values/fields.ts';
import type { ServiceConsumer } from '../service.ts';

const base = { tag: 'dead letters', identity: 'caller', internal: true } as const;
const path = '/internal/dead-letters';

/** Makes the routes that a service with a consumer group offers operators (contract 4.13): its own dead letters, no others. */
export function deadLetterRoutes<Tables>(consumer: ServiceConsumer<Tables>, database: Kysely<Tables>): AnyRoute[] {
  // Loaded with the first request: what builds a service without starting it needs no client of Kafka.
  const letters = async () => (await import('./group-letters.ts')).groupLetters(consumer, database);
  const decisions = {
    200: { description: 'The outcome of each, or in a dry run the expected one.', body: resultsOut },
    404: problem('The group has no letter of one of the ids; nothing was done.'),
    503: unavailable,
  };
  return [
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'listDeadLetters',
      summary: 'List the open dead letters of the group, or all of an order',
      query: lettersQuery,
      responses: {
        200: { description: 'Those that were neither redriven nor discarded, or all of an order.', body: lettersOut },
        503: unavailable,
      },
      handler: async ({ query: { orderId } }) => ok(await (await letters()).list(orderId)),
    }),
    route({
      ...base,
      method: 'get',
      path: `${path}/count`,
      operationId: 'countDeadLetters',
      summary: 'Count the open dead letters of the group',
      responses: { 200: { description: 'How many are open.', body: openOut }, 503: unavailable },
      handler: async () => ok(await (await letters()).count()),
    }),
    route({
      ...base,
      method: 'get',
      path: `${path}/audit`,
      operationId: 'listDeadLetterAudit',
      summary: 'List who redrove or discarded what, when and why',
      responses: { 200: { description: 'The audit trail.', body: auditOut }, 503: unavailable },
      handler: async () => ok(await (await letters()).audit()),
    }),
    route({
      ...base,
      method: 'post',
      path: `${path}/redrive`,
      operationId: 'redriveDeadLetters',
      summary: 'Hand dead letters to the handler of the group again',
      body: redriveIn,
      responses: decisions,
      handler: async ({ body }) => ok(counted(body, await (await letters()).redrive(body))),
    }),
    route({
      ...base,
      method: 'post',
      path: `${path}/discard`,
      operationId: 'discardDeadLetters',
      summary: 'Decide that dead letters are never handled',
      body: discardIn,
      responses: decisions,
      handler: async ({ body }) => ok(counted(body, await (await letters()).discard(body))),
    }),
    // Last: the fixed paths above would be taken for ids.
    route({
      ...base,
      method: 'get',
      path: `${path}/{id}`,
      operationId: 'getDeadLetter',
      summary: 'Read an open dead letter as it was published',
      params: z.object({ id: uuid }),
      responses: {
        200: { description: 'The letter, with its headers and its whole value.', body: wholeLetterOut },
        404: problem('The group has no open letter of this id.'),
        503: unavailable,
      },
      handler: async ({ params: { id } }) => ok(await (await letters()).whole(id)),
    }),
  ];
}

/** Counts what was decided now: neither in a dry run nor by somebody before. */
function counted<T extends z.input<typeof resultsOut>>({ dryRun }: { dryRun: boolean }, answer: T): T {
  for (const { outcome } of dryRun ? [] : answer.results) {
    if (outcome !== 'DECIDED') consumerMetrics.decided.inc({ group: answer.group, outcome: outcome.toLowerCase() });
  }
  return answer;
}
