import { text, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

const byName = z.record(z.string(), z.number());
const milliseconds = z.number().describe('Milliseconds since 1970.');
const rate = z.number();

export const nowIn = z.object({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('The last point that the page has.'),
  version: text(1, 100).optional().describe('Version of the states that the page has.'),
});

const pointOut = z.object({
  at: milliseconds,
  rates: z
    .object({ placed: rate, confirmed: rate, rejected: rate, timedOut: rate, refused: rate, failed: rate })
    .describe('Per second, since the point before.'),
  p50: z.number().nullable().describe('Seconds, of the orders that were confirmed within the last minute.'),
  p95: z.number().nullable(),
  lag: byName.describe('Messages, by group.'),
  outbox: byName.describe('Seconds, by service; 0 if nothing waits.'),
  letters: z.int().nullable().describe('Open dead letters of the groups that have answered.'),
  stuck: z.int().nullable().describe('Orders that are PENDING for too long.'),
});

const alertOut = z.object({
  name: z.string(),
  severity: z.enum(['critical', 'warning']),
  summary: z.string(),
  since: milliseconds.describe('Since when its condition holds.'),
});

const replicaOut = z.object({
  service: z.string(),
  address: z.string(),
  state: z.enum(['UP', 'DOWN', 'GONE']),
  waitingFor: z.array(z.string()).describe('Things that one that is DOWN waits for, or why one is GONE.'),
  since: milliseconds.describe('Since when it has been in that state.'),
  orBefore: z.boolean().describe('When it was first looked at it was in that state already.'),
});

export const nowOut = z.object({
  version: z.string(),
  points: z.array(pointOut),
  alerts: z.array(alertOut),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
  replicas: z.array(replicaOut).optional().describe('Missing if they are those of the version.'),
});

export type Point = z.output<typeof pointOut>;
export type Alert = z.output<typeof alertOut>;
export type ReplicaState = z.output<typeof replicaOut>;
