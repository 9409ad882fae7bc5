import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import type { Changes } from './changes.ts';
import { analyticsHandlers } from './groups/analytics/handlers.ts';
import { invoiceHandlers } from './groups/invoice/handlers.ts';
import { notificationHandlers } from './groups/notification/handlers.ts';

/** spec: Events, rule 2. One image, three groups: what a process does follows from its group. */
export const handlersOf = {
  'notification-group': notificationHandlers,
  'analytics-group': analyticsHandlers,
  'invoice-group': invoiceHandlers,
} satisfies Record<string, Handlers<Changes>>;

export type ConsumerGroup = keyof typeof handlersOf;

export const consumerGroups = Object.keys(handlersOf) as [ConsumerGroup, ...ConsumerGroup[]];
