import { pageQuery, sortQuery, withinCounted } from '@store/shared/http/pagination';
import { timestamp, uuid } from '@store/shared/values/fields';
import { z } from 'zod';

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

export const notificationQuery = withinCounted(
  z.object({
    ...pageQuery(20, 100),
    sort: sortQuery(['createdAt'], [{ field: 'createdAt', direction: 'desc' }]),
    orderId: uuid.optional(),
    customerId: uuid.optional(),
  }),
);

export type NotificationQuery = z.output<typeof notificationQuery>;
