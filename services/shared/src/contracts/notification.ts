import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';

/** contract 4.10 */
export const notificationOut = z
  .object({
    id: uuid.describe('The id of the event; a new id if the notification was sent again.'),
    orderId: uuid,
    customerId: uuid,
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
    createdAt: timestamp,
    sentAt: timestamp.optional(),
    refusal: z.string().optional().describe('Why the mail server has permanently rejected it.'),
    waitsFor: z.string().optional().describe('For operators: what it waits for, `sender` or the hourly `digest`.'),
    canBeResent: z.boolean().optional().describe('For operators: `false` if no mail server is set.'),
  })
  .meta({
    id: 'NotificationOut',
    examples: [
      {
        id: '5b0f7c1e-8d39-4a6e-b1c4-7e2a9d60f351',
        orderId: 'b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90',
        customerId: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
        kind: 'OrderPaid',
        subject: 'Your order is paid',
        text: 'We have received 12.75 USD for your order b1e5c0de-3a44-4f0b-9a57-2c6d8e1f7a90 and are preparing it.',
        createdAt: '2026-01-31T09:30:02.000Z',
      },
    ],
  });

/** A mail that was not sent, for the console's list (contract 4.10). */
export const mailOut = z
  .object({ id: uuid, customerId: uuid, kind: z.string(), subject: z.string(), createdAt: timestamp })
  .meta({ id: 'MailOut' });

export const wholeMailOut = z
  .object({
    to: z.object({ name: z.string(), address: z.string() }).nullable().describe('Null if it would not be sent.'),
    problem: z.string().optional().describe('Why it would not be sent.'),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
  })
  .meta({ id: 'WholeMailOut' });
