import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';

// The services' answers to operators about an order (contract 4.14).

const eventOut = z
  .object({
    id: uuid,
    kind: z.string(),
    payload: z.string().describe('JSON, as it is published.'),
    traceId: z.string().nullable(),
    createdAt: timestamp,
    sentAt: timestamp.nullable().describe('When the broker acknowledged it.'),
  })
  .meta({ id: 'EventOut' });

/** The events about an order that the service has written, in their order. */
export const eventsOut = z.array(eventOut);

interface Event {
  id: string;
  kind: string;
  payload: string;
  traceparent: string | null;
  createdAt: Date;
  sentAt: Date | null;
}

export const toEventsOut = (events: Event[]): z.input<typeof eventsOut> =>
  events.map(({ id, kind, payload, traceparent, createdAt, sentAt }) => ({
    ...{ id, kind, payload },
    traceId: traceparent?.split('-')[1] ?? null,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  }));
