import { createProductClient } from '@store/shared/contracts/product-client';
import { lookRecorder } from '@store/shared/database/audit';
import { createHttpApp } from '@store/shared/http/app';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import { type AuthClient, createAuthClient } from './auth-client.ts';
import { configSchema, type OrderConfig, type WorkerConfig, workerConfigSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createAllOrdersRepository } from './lists/all-orders-repository.ts';
import { addUpOrderCounts } from './lists/order-count-repository.ts';
import { createOrderListRepository } from './lists/order-list-repository.ts';
import { createOrderChanges } from './live/order-change-repository.ts';
import { createOrderStreams } from './live/order-streams.ts';
import { createOrderRepository } from './order-repository.ts';
import { createOrders } from './orders.ts';
import { createPaymentDetailsRepository } from './paying/payment-details-repository.ts';
import { paymentDetailsRoutes } from './paying/payment-details-routes.ts';
import { createIdempotencyRepository } from './placing/idempotency-repository.ts';
import { createNewOrderRepository } from './placing/new-order-repository.ts';
import { createPlaceOrder } from './placing/place-order.ts';
import { createOrderNotes } from './records/order-notes.ts';
import { createOrderRecordRepository } from './records/order-record-repository.ts';
import { orderRecordRoutes } from './records/order-record-routes.ts';
import { countStuckOrders } from './records/stuck-orders.ts';
import { orderRoutes } from './routes.ts';
import { createConsumerGroup } from './saga/consumer-group.ts';
import { createDueOrders } from './saga/due-orders.ts';
import { deleteLateDetails } from './saga/saga-repository.ts';
import { createShipmentRepository } from './shipping/shipment-repository.ts';
import { shipmentRoutes } from './shipping/shipment-routes.ts';
import { createShipments } from './shipping/shipments.ts';
import { createChangedOrders, renewFutureXids } from './store-orders/changed-orders-repository.ts';
import { storeOrderRoutes } from './store-orders/store-order-routes.ts';

const migrations = new URL('../prisma/migrations/', import.meta.url);

interface Replaceable {
  products?: Parameters<typeof createPlaceOrder>[0]['products'];
  sessionCheck?: AuthClient['findEnded'];
  maxStreams?: number | undefined;
  clock?: () => Date;
}

/** Serves the order API. */
export function createOrderService(
  { config, log, database }: ServiceContext<OrderConfig, PrismaClient>,
  {
    products = createProductClient(config.PRODUCT_URL),
    sessionCheck,
    maxStreams,
    clock = () => new Date(),
  }: Replaceable = {},
): Service<PrismaClient> {
  const auth = createAuthClient({ baseUrl: config.AUTH_URL, credential: config.INTERNAL_CREDENTIAL });
  const placeOrder = createPlaceOrder({
    repository: createNewOrderRepository(database, config.CANCELLATIONS_PER_HOUR),
    keys: createIdempotencyRepository(database),
    products,
    checkMayOrder: config.EMAIL_CONFIRMATION === 'required' ? auth.mustBeConfirmed : undefined,
    currency: config.STORE_CURRENCY,
    taxPermille: config.STORE_TAX_PERMILLE,
    needsToken: config.PAYMENT_TOKEN_REQUIRED,
    clock,
  });
  const repository = createOrderRepository(database);
  const orders = createOrders({
    transactionOf: database.transactionOf,
    repository,
    lists: createOrderListRepository(database),
    clock,
  });
  const streams = createOrderStreams({
    changes: createOrderChanges(database),
    check: sessionCheck ?? auth.findEnded,
    limits: { maxPerAddress: config.STREAMS_PER_ADDRESS, ...(maxStreams !== undefined && { max: maxStreams }) },
  });
  const records = createOrderRecordRepository(database);
  const recordLook = lookRecorder(database);
  const shipments = createShipments({
    transactionOf: database.transactionOf,
    repository: createShipmentRepository(database),
    clock,
  });
  const recordRoutes = orderRecordRoutes({
    records,
    all: createAllOrdersRepository(database),
    orders,
    notes: createOrderNotes(database),
    recordLook,
    clock,
  });
  const paymentDetails = createPaymentDetailsRepository(database);
  const routes = [
    ...orderRoutes(placeOrder, orders, streams),
    ...shipmentRoutes(shipments, recordLook),
    ...storeOrderRoutes({ changed: createChangedOrders(database), orders: repository, recordLook }),
    ...recordRoutes,
    ...paymentDetailsRoutes(paymentDetails, clock),
  ];
  return {
    app: createHttpApp({ title: 'Order API', routes, log, config }),
    // The intervals decide how soon streams see a change, or the end of a session (contract 4.11).
    jobs: [
      loop({ name: 'changes of orders', everyMs: 250, retry: { firstMs: 250, maxMs: 1_000 } }, streams.follow),
      loop(
        { name: 'sessions of streams', everyMs: 500, retry: { firstMs: 500, maxMs: 1_000 } },
        streams.heartbeatAndPrune,
      ),
      countStuckOrders(records, clock),
    ],
    endStreams: streams.end,
  };
}

export const orderService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'order',
  configSchema,
  database: { PrismaClient, migrations },
  build: createOrderService,
};

/** Few enough to keep a transaction short. */
const batchSize = 100;
/** Interval of the search for due orders: a twentieth of their delay, but 1 s to 5 s. */
const everyMs = (delaySeconds: number) => Math.min(Math.max(50 * delaySeconds, 1_000), 5_000);

/**
 * Publishes the outbox, performs the order's steps of the saga, ships orders, cancels orders that stay PENDING, adds up
 * counts, and deletes expired idempotency keys and old payment details.
 */
export function createOrderWorker({
  config,
  log,
  database,
}: ServiceContext<WorkerConfig, PrismaClient>): Service<PrismaClient> {
  const keys = createIdempotencyRepository(database);
  const changes = createOrderChanges(database);
  const paymentDetails = createPaymentDetailsRepository(database);
  const clock = () => new Date();
  const dueOrders = createDueOrders({
    inTransaction: database.inTransaction,
    clock,
    pendingTimeoutMs: config.PENDING_TIMEOUT_SECONDS * 1_000,
  });
  /** Delay of the first time-out, so that events from the time when no worker ran are read first. */
  const catchUpMs = Math.min(config.PENDING_TIMEOUT_SECONDS, 60) * 1_000;
  /** Changes a batch of due orders. @returns whether there may be more */
  async function runBatch(work: (limit: number) => Promise<number>, message: string): Promise<boolean> {
    const count = await work(batchSize);
    if (count > 0) log.info({ count }, message);
    return count === batchSize;
  }
  const { SHIP_AFTER_SECONDS: shipAfter } = config;
  const shippers =
    shipAfter === 'never'
      ? []
      : [
          loop({ name: 'shipper', everyMs: everyMs(shipAfter) }, () =>
            runBatch((limit) => dueOrders.ship(shipAfter * 1_000, limit), 'Orders were shipped'),
          ),
        ];
  const consumer = { group: createConsumerGroup(clock), config, publishesAs: 'order' };
  const routes = deadLetterRoutes(consumer, database);
  return {
    app: createHttpApp({ title: 'Order worker', routes, log, config }),
    consumer,
    jobs: [
      ...shippers,
      loop({ name: 'pending time-out', delayMs: catchUpMs, everyMs: everyMs(config.PENDING_TIMEOUT_SECONDS) }, () =>
        runBatch(dueOrders.cancelTimedOut, 'Orders that were PENDING for too long were cancelled'),
      ),
      loop({ name: 'order counts', everyMs: 5_000 }, () => addUpOrderCounts(database)),
      loop({ name: 'late orders of deleted accounts', everyMs: 20_000 }, () => deleteLateDetails(database)),
      loop({ name: 'old payment details', everyMs: 60_000 }, () =>
        paymentDetails.deleteOld(new Date(clock().getTime() - config.PENDING_TIMEOUT_SECONDS * 1_000 - hourMs)),
      ),
      loop({ name: 'expired idempotency keys', everyMs: hourMs }, () => keys.deleteExpired(clock())),
      loop({ name: 'old changes of orders', everyMs: hourMs }, () => changes.deleteOld(clock())),
      loop({ name: 'orders of another server', everyMs: hourMs }, () => renewFutureXids(database)),
    ],
  };
}

export const orderWorker: ServiceDefinition<typeof workerConfigSchema, PrismaClient> = {
  name: 'order-worker',
  configSchema: workerConfigSchema,
  database: { PrismaClient, migrations, poolSize: 8 },
  build: createOrderWorker,
};
