import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import type { AnyRoute } from '@store/shared/http/route';
import type { ConsumerGroup } from './groups.ts';
import type { Pages } from './pages.ts';
import { figureRoute, invoiceRoute, notificationRoute } from './routes.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production'> {
  group: ConsumerGroup;
  pages: Pages;
}

const apis: Record<ConsumerGroup, { title: string; route(pages: Pages): AnyRoute }> = {
  'notification-group': { title: 'Notification API', route: notificationRoute },
  'analytics-group': { title: 'Analytics API', route: figureRoute },
  'invoice-group': { title: 'Invoice API', route: invoiceRoute },
};

export function createApp({ group, pages, ...options }: AppOptions) {
  const { title, route } = apis[group];
  return createHttpApp({ ...options, title, routes: [route(pages)] });
}
