import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import { statusRoutes } from './routes.ts';
import type { StatusStore } from './status-repository.ts';
import { createStatuses } from './statuses.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production'> {
  store: StatusStore;
}

export function createApp({ store, ...options }: AppOptions) {
  return createHttpApp({ ...options, title: 'Status API', routes: statusRoutes(createStatuses({ store })) });
}
