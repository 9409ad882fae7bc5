import type { Handlers } from '@store/shared/consume';
import type { AnyRoute } from '@store/shared/route';
import { analyticsHandlers } from './analytics.ts';
import type { Changes } from './changes.ts';
import type { ConsumerGroup } from './config.ts';
import { invoiceHandlers } from './invoice.ts';
import { notificationHandlers } from './notification.ts';
import type { Pages } from './pages.ts';
import { figureRoute, invoiceRoute, notificationRoute } from './routes.ts';

interface Group {
  title: string;
  handlers: Handlers<Changes>;
  routes(pages: Pages): AnyRoute[];
}

/** One image, three groups: what a process does follows from its group. */
export const groups: Record<ConsumerGroup, Group> = {
  'notification-group': {
    title: 'Notification API',
    handlers: notificationHandlers,
    routes: (pages) => [notificationRoute(pages)],
  },
  'analytics-group': { title: 'Analytics API', handlers: analyticsHandlers, routes: (pages) => [figureRoute(pages)] },
  'invoice-group': { title: 'Invoice API', handlers: invoiceHandlers, routes: (pages) => [invoiceRoute(pages)] },
};
