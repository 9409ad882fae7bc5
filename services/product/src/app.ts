import { randomUUID } from 'node:crypto';
import { createHttpApp, type HttpAppOptions } from '@store/shared/http/app';
import type { ProductRepository } from './product-repository.ts';
import { createProducts } from './products.ts';
import { productRoutes } from './routes.ts';

export interface AppOptions extends Pick<HttpAppOptions, 'log' | 'production' | 'bearer'> {
  repository: ProductRepository;
  writers: string[];
  newId?: () => string;
}

export function createApp({ repository, writers, newId = randomUUID, ...options }: AppOptions) {
  const products = createProducts({ repository, writers, newId });
  return createHttpApp({ ...options, title: 'Product API', routes: productRoutes(products) });
}
