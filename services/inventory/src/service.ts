import { createProductClient, type ProductClient } from '@store/shared/contracts/product-client';
import { createHttpApp } from '@store/shared/http/app';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { configSchema, type InventoryConfig } from './config.ts';
import { createConsumerGroup } from './consumer-group.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderClient, type OrderClient } from './order-client.ts';
import { createReservationRepository } from './reservation-repository.ts';
import { createReservations } from './reservations.ts';
import { inventoryRoutes } from './routes.ts';
import { createStock } from './stock.ts';
import { createStockRepository } from './stock-repository.ts';

interface Replaceable {
  products?: ProductClient;
  orders?: OrderClient;
  clock?: () => Date;
}

export function createInventoryService(
  { config, log, database }: ServiceContext<InventoryConfig, PrismaClient>,
  {
    products = createProductClient(config.PRODUCT_URL),
    orders = createOrderClient({ baseUrl: config.ORDER_URL, credential: config.INTERNAL_CREDENTIAL }),
    clock = () => new Date(),
  }: Replaceable = {},
) {
  const stock = createStock({
    repository: createStockRepository(database),
    products,
    initialStock: config.INITIAL_STOCK,
  });
  const handle = createReservations({
    clock,
    forget: stock.forget,
    percentPerAccount: config.STOCK_PERCENT_PER_ACCOUNT,
  });
  const group = createConsumerGroup({ stock, orders, handle });
  const consumer = { group, config, publishesAs: 'inventory', servesWithoutKafka: true };
  const routes = [
    ...inventoryRoutes(stock, createReservationRepository(database)),
    ...deadLetterRoutes(consumer, database),
  ];
  return {
    app: createHttpApp({ title: 'Inventory API', routes, log, config }),
    consumer,
  } satisfies Service<PrismaClient>;
}

export const inventoryService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'inventory',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: createInventoryService,
};
