import { decisionOut, letterOut } from '@store/shared/contracts/dead-letters';
import { orderRecordOut } from '@store/shared/contracts/order-record';
import { z } from 'zod';

export const letterOfOrderOut = letterOut
  .pick({ id: true, kind: true, error: true, time: true })
  .extend({ group: z.string(), service: z.string(), decisions: z.array(decisionOut).describe('The oldest first.') });

const stepOut = z.object({
  at: z.string(),
  service: z.string().describe('Name of the lane: a service, for its worker as well.'),
  text: z.string(),
  isBad: z.boolean().optional().describe('Something failed, or was given up.'),
  detail: z.string().optional().describe('Further text, such as the event as it was published.'),
  traceId: z.string().optional(),
});

export const orderPageOut = z.object({
  order: orderRecordOut.nullable().describe('Null if order has not answered.'),
  timeline: z.array(stepOut).describe('The oldest first.'),
  waitingFor: z.array(z.string()),
  letters: z.array(letterOfOrderOut).describe('Its dead letters, those that are decided as well.'),
  discarded: z.array(z.string()),
  problems: z.array(z.string()).describe('Messages about services that could not be asked.'),
});

export type Step = z.output<typeof stepOut>;
