import type { Handlers } from '@store/shared/consume';
import { analyticsHandlers } from './analytics.ts';
import type { Changes } from './changes.ts';
import { invoiceHandlers } from './invoice.ts';
import { notificationHandlers } from './notification.ts';

/** spec: Events, rule 2. One image, three groups: what a process does follows from its group. */
export const handlersOf = {
  'notification-group': notificationHandlers,
  'analytics-group': analyticsHandlers,
  'invoice-group': invoiceHandlers,
} satisfies Record<string, Handlers<Changes>>;

export type ConsumerGroup = keyof typeof handlersOf;

export const consumerGroups = Object.keys(handlersOf) as [ConsumerGroup, ...ConsumerGroup[]];
