import { discardIn, redriveIn } from '@store/shared/contracts/dead-letters';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { DeadLetters } from './dead-letters.ts';
import { anyResults, groupsOut, trailOut } from './schemas.ts';

const path = '/api/dead-letters';
const base = { tag: 'dead letters', ...byOperator } as const;
const params = z.object({ service: z.string() });
const decided = { 200: { description: 'The outcome of each.', body: anyResults } };

export function deadLetterPageRoutes(letters: DeadLetters): AnyRoute[] {
  return [
    route({
      ...base,
      method: 'get',
      path,
      operationId: 'showDeadLetters',
      standsAlone: true,
      summary: 'List the open dead letters of all groups',
      responses: { 200: { description: 'Dead letters by group.', body: groupsOut } },
      handler: async () => ok(await letters.list()),
    }),
    route({
      ...base,
      method: 'get',
      path: `${path}/audit`,
      operationId: 'showAudit',
      standsAlone: true,
      summary: 'List decisions about dead letters',
      responses: { 200: { description: 'Decisions, latest first.', body: trailOut } },
      handler: async () => ok(await letters.audit()),
    }),
    route({
      ...base,
      method: 'post',
      path: `${path}/{service}/redrive`,
      operationId: 'redrive',
      summary: 'Hand letters to their group again',
      params,
      body: redriveIn.omit({ by: true }),
      responses: decided,
      handler: async ({ params: { service }, headers: { 'console-operator': by }, body }) =>
        ok(await letters.decide('redrive', service, { ...body, by })),
    }),
    route({
      ...base,
      method: 'post',
      path: `${path}/{service}/discard`,
      operationId: 'discard',
      summary: 'Discard letters',
      params,
      body: discardIn.omit({ by: true }),
      responses: decided,
      handler: async ({ params: { service }, headers: { 'console-operator': by }, body }) =>
        ok(await letters.decide('discard', service, { ...body, by })),
    }),
  ];
}
