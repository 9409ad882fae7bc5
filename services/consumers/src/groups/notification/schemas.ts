import { pageQuery, sortQuery, withinCounted } from '@store/shared/http/pagination';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const notificationQuery = withinCounted(
  z.object({
    ...pageQuery(20, 100),
    sort: sortQuery(['createdAt'], [{ field: 'createdAt', direction: 'desc' }]),
    orderId: uuid.optional(),
    customerId: uuid.optional(),
  }),
);

export type NotificationQuery = z.output<typeof notificationQuery>;
