import { randomUUID } from 'node:crypto';
import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import { stringifyJson } from '@store/shared/values/json';
import { toOrderOut } from './order-out.ts';
import type { OrderRepository } from './order-repository.ts';
import { createOrders } from './orders.ts';
import type { ProductClient } from './product-client.ts';
import { orderRoutes } from './routes.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production' | 'bearer'> {
  repository: OrderRepository;
  products: ProductClient;
  currency: string;
  clock?: () => Date;
  newId?: () => string;
}

export function createApp(options: AppOptions) {
  const { repository, products, currency, clock = () => new Date(), newId = randomUUID, ...http } = options;
  const represent = (order: Parameters<typeof toOrderOut>[0]) => stringifyJson(toOrderOut(order));
  const orders = createOrders({ repository, products, currency, clock, newId, represent });
  return createHttpApp({ ...http, title: 'Order API', routes: orderRoutes(orders) });
}
