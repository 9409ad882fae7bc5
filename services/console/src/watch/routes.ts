import { entityTag } from '@store/shared/http/precondition';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { text, wholeNumber } from '@store/shared/values/fields';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import { type History, outcomes } from './history.ts';

const byName = z.record(z.string(), z.number());
const nowIn = z.object({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('The last point that the page has.'),
  version: text(1, 100).optional().describe('Version of the states that the page has.'),
});
const nowOut = z.object({
  version: z.string(),
  points: z.array(
    z.object({
      at: z.number(),
      rates: z.object(Object.fromEntries(outcomes.map((name) => [name, z.number()]))),
      p50: z.number().nullable(),
      p95: z.number().nullable(),
      lag: byName,
      outbox: byName,
      letters: z.int().nullable(),
      stuck: z.int().nullable(),
    }),
  ),
  alerts: z.array(
    z.object({ name: z.string(), severity: z.enum(['critical', 'warning']), summary: z.string(), since: z.number() }),
  ),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
  replicas: z
    .array(
      z.object({
        service: z.string(),
        address: z.string(),
        state: z.enum(['UP', 'DOWN', 'GONE']),
        waitingFor: z.array(z.string()),
        since: z.number(),
        orBefore: z.boolean().describe('When it was first looked at it was in that state already.'),
      }),
    )
    .optional()
    .describe('Missing if they are those of the version.'),
});

export function nowRoutes(history: History): AnyRoute[] {
  return [
    route({
      ...byOperator,
      method: 'get',
      path: '/api/now',
      operationId: 'showNow',
      summary: 'Show the last 15 minutes, alerts, and the state of every process, or what has changed since',
      tag: 'now',
      query: nowIn,
      responses: { 200: { description: 'A point for every five seconds.', body: nowOut } },
      handler({ query: { after = 0, version } }) {
        const points = history.points().filter(({ at }) => at > after);
        const states = { replicas: history.states() };
        const current = entityTag(stringifyJson(states));
        return ok({
          version: current,
          points,
          alerts: history.alerts(),
          problems: history.problems(),
          ...(current !== version && states),
        });
      },
    }),
  ];
}
