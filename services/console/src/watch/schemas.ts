import { text, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

const byName = z.record(z.string(), z.number());
const milliseconds = z.number().describe('Milliseconds since 1970.');
const rate = z.number();

export const nowIn = z.object({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('Time of the last point that the page has.'),
  version: text(1, 100).optional().describe('Version of the states that the page has.'),
});

const pointOut = z.object({
  at: milliseconds,
  rates: z
    .object({ placed: rate, confirmed: rate, rejected: rate, timedOut: rate, refused: rate, failed: rate })
    .describe('Per second, since the previous point.'),
  p50: z.number().nullable().describe('Seconds, for orders confirmed within the last minute.'),
  p95: z.number().nullable(),
  lag: byName.describe('Messages, by group.'),
  outbox: byName.describe('Seconds, by service; 0 if nothing waits.'),
  letters: z.int().nullable().describe('Open dead letters of the groups that answered.'),
  stuck: z.int().nullable().describe('Orders that have been PENDING for too long.'),
});

const itemOut = z.object({
  name: z.string().describe('Of the alert or the fact.'),
  text: z.string(),
  severity: z.string().nullable().describe('Of the alert, such as critical.'),
  since: milliseconds.nullable().describe('Since when the condition of the alert holds.'),
  page: z.enum(['orders', 'dead-letters']).nullable().describe('Page that lists what it is about.'),
  runbook: z.string().nullable().describe('The alert of the store whose runbook says what to do.'),
  runbookUrl: z.string().nullable().describe('http or https, for an alert that is not of the store.'),
});

const overviewOut = z.object({
  tone: z.enum(['good', 'bad', 'note']),
  verdict: z.string(),
  items: z.array(itemOut).describe('Alerts that fire. If nobody evaluates the alert rules, also facts.'),
});

const replicaOut = z.object({
  service: z.string(),
  address: z.string(),
  state: z.enum(['UP', 'DOWN', 'GONE']),
  waitingFor: z.array(z.string()).describe('What a process that is DOWN waits for, or why it is GONE.'),
  since: milliseconds.describe('Since when it has been in that state.'),
  sinceIsLowerBound: z.boolean().describe('`since` is when the console first looked; the state may be older.'),
});

export const nowOut = z.object({
  version: z.string(),
  points: z.array(pointOut),
  alerts: overviewOut,
  problems: z.array(z.string()).describe('Messages about services that did not answer.'),
  replicas: z.array(replicaOut).optional().describe('Missing if they have not changed since the version.'),
});

export type Point = z.output<typeof pointOut>;
export type Overview = z.output<typeof overviewOut>;
export type ReplicaState = z.output<typeof replicaOut>;
