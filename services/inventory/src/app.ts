import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import { stockRoutes } from './routes.ts';
import type { Stock } from './stock.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production'> {
  stock: Stock;
}

export function createApp({ stock, ...options }: AppOptions) {
  return createHttpApp({ ...options, title: 'Inventory API', routes: stockRoutes(stock) });
}
