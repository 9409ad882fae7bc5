import { z } from 'zod';
import { text, timestamp, uuid } from '../values/fields.ts';

export const decisionOut = z.object({
  outcome: z.enum(['REDRIVEN', 'FAILED', 'DISCARDED']),
  reason: z.string().nullable(),
  requestedBy: z.string(),
  at: timestamp,
});

/** contract 4.13 */
export const letterOut = z
  .object({
    id: uuid,
    eventId: uuid.nullable(),
    kind: z.string().nullable(),
    orderId: z.string().nullable().describe('The key of the message, which may be anything.'),
    attempts: z.int(),
    error: z.string(),
    time: timestamp.nullable().describe('When it first became a dead letter.'),
    origin: z.string().describe('Topic, partition and offset.'),
    value: z.string().nullable().describe('As it was published, at most 4000 characters.'),
    decisions: z.array(decisionOut).optional().describe('In a list of one order: the oldest first.'),
  })
  .meta({ id: 'DeadLetterOut' });

export const wholeLetterOut = letterOut.omit({ decisions: true }).extend({
  value: z.string().nullable().describe('As it was published; null if it is absent or not UTF-8.'),
  headers: z.record(z.string(), z.string().nullable()).describe('As they were published; null if not UTF-8.'),
});

export const lettersQuery = z.object({
  orderId: uuid.optional().describe('Lists all letters of this order, including decided ones.'),
});

export const openOut = z.object({ group: z.string(), open: z.int() });

export const lettersOut = z.object({
  group: z.string(),
  total: z.int(),
  letters: z.array(letterOut).describe('The first 500.'),
});

export const auditOut = z.object({
  group: z.string(),
  entries: z
    .array(decisionOut.extend({ letterId: uuid, eventId: uuid.nullable() }))
    .describe('The latest 500, oldest first.'),
});

const selection = {
  /** Never "all": operators decide only about letters that they have seen, and a request has an end. */
  ids: z.array(uuid).min(1).max(100),
  by: text(1, 200).describe('Name of the operator, for the audit trail.'),
  dryRun: z.boolean().default(false),
};

export const redriveIn = z.object(selection);
export const discardIn = z.object({ ...selection, reason: text(1, 1_000) });

export const resultsOut = z
  .object({
    group: z.string(),
    results: z.array(
      z.object({
        id: uuid,
        outcome: z
          .enum(['REDRIVEN', 'DISCARDED', 'FAILED', 'DECIDED', 'UNKNOWN'])
          .describe(
            'FAILED: it stays open. DECIDED: it was decided before, and nothing was done now. UNKNOWN: a dry run cannot tell.',
          ),
        effect: z.string().optional().describe('In the dry run of a redrive: what the group would do, as a sentence.'),
        error: z.string().optional().describe('Cause, if it FAILED.'),
        decision: decisionOut.optional().describe('Earlier decision, if it was DECIDED.'),
      }),
    ),
  })
  .meta({ id: 'DeadLetterResultsOut' });

export type DecisionOut = z.input<typeof decisionOut>;
export type AuditOut = z.input<typeof auditOut>['entries'][number];
export type LetterOut = z.input<typeof letterOut>;
export type RedriveIn = z.input<typeof redriveIn>;
export type DiscardIn = z.input<typeof discardIn>;
export type ResultOut = z.input<typeof resultsOut>['results'][number];
