import { pagedQuery, sortQuery } from '@store/shared/http/pagination';
import { uuid } from '@store/shared/values/fields';
import type { z } from 'zod';

export const notificationQuery = pagedQuery(20, 100, {
  sort: sortQuery(['createdAt'], [{ field: 'createdAt', direction: 'desc' }]),
  orderId: uuid.optional(),
  customerId: uuid.optional(),
});

export type NotificationQuery = z.output<typeof notificationQuery>;
