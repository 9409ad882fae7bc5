import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import { statusRoutes } from './routes.ts';
import type { StatusRepository } from './status-repository.ts';
import { createStatuses } from './statuses.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production'> {
  repository: StatusRepository;
}

export function createApp({ repository, ...options }: AppOptions) {
  return createHttpApp({ ...options, title: 'Status API', routes: statusRoutes(createStatuses({ repository })) });
}
