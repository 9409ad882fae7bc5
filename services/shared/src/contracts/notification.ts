import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';

/** contract 4.10 */
export const notificationOut = z
  .object({
    id: uuid.describe('The id of the event.'),
    orderId: uuid,
    customerId: uuid,
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
    createdAt: timestamp,
    sentAt: timestamp.optional(),
    refusal: z.string().optional().describe('Why the mail server will never take it.'),
  })
  .meta({ id: 'NotificationOut' });
