import { randomUUID } from 'node:crypto';
import type { ProductClient } from '@store/shared/contracts/product-client';
import { openDatabase } from '@store/shared/database/database';
import { processEvents } from '@store/shared/messaging/consumer/process';
import type { EventKind, Payload, StoredEvent } from '@store/shared/messaging/events';
import type { Logger } from '@store/shared/observability/log';
import { Decimal } from '@store/shared/values/money';
import { receivedEvent, storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { OrderClient, OrderDemand } from '../src/order-client.ts';
import type { Item } from '../src/reservation-repository.ts';
import { createInventoryService } from '../src/service.ts';

export const alice = 'a11ce000-3a52-4d0f-9f0e-0d8a55a1c001';
export const unknown = '00000000-0000-4000-8000-00000000dead';
/** The default. */
export const initialStock = 1_000;

/** A fake product service that knows every product but `unknown`. `answer` may delay or fail its answers. */
export function fakeProducts() {
  const products = {
    asked: [] as string[][],
    answer: async (): Promise<void> => undefined,
    async find(ids: string[]) {
      products.asked.push(ids);
      await products.answer();
      return new Map(
        ids.filter((id) => id !== unknown).map((id) => [id, { name: 'Tea', sku: null, price: new Decimal(1) }]),
      );
    },
  };
  return products satisfies ProductClient;
}

/** A fake order service that knows the orders in `known`. `answer` may delay or fail its answers. */
export function fakeOrders() {
  const orders = {
    asked: [] as string[][],
    known: new Map<string, OrderDemand>(),
    know(
      { orderId, items }: Pick<OrderDemand, 'orderId' | 'items'>,
      total = { amount: new Decimal(3), currency: 'USD' },
    ) {
      orders.known.set(orderId, { orderId, items, total });
    },
    answer: async (): Promise<void> => undefined,
    async demands(ids: string[]) {
      if (ids.length === 0) return new Map();
      orders.asked.push(ids);
      await orders.answer();
      return new Map([...orders.known].filter(([id]) => ids.includes(id)));
    },
  };
  return orders satisfies OrderClient;
}

interface Options {
  products?: ProductClient;
  orders?: OrderClient;
  clock?: () => Date;
  log?: Logger;
  env?: Record<string, string>;
}

/** The real service on the given database, without Kafka: `take` hands events to it. */
export function testInventory(databaseUrl: string, options: Options = {}) {
  const database = openDatabase(PrismaClient, databaseUrl, 25);
  const { prisma } = database;
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: 'unused:1',
    PRODUCT_URL: 'http://product',
    ORDER_URL: 'http://order',
    ...options.env,
  });
  const { app, consumer } = createInventoryService(
    { config, log: options.log ?? testLog('inventory'), database },
    { products: options.products ?? fakeProducts(), orders: options.orders ?? fakeOrders(), clock: options.clock },
  );
  /** The events about an order, in the order in which they were written. */
  async function eventsOf(orderId: string) {
    const rows = await prisma.outbox.findMany({ where: { key: orderId }, orderBy: { seq: 'asc' } });
    return rows.map(({ kind, payload, traceparent }) => ({ kind, payload: JSON.parse(payload), traceparent }));
  }

  return {
    app,
    prisma,
    database,
    group: consumer.group,
    close: database.close,

    /** Delivers a chunk of events once, like the consumer. */
    take: (...events: StoredEvent[]) => processEvents(consumer.group, database, events.map(receivedEvent)),

    async setStock(available: number): Promise<string> {
      const productId = randomUUID();
      await prisma.stock.create({ data: { productId, available } });
      return productId;
    },
    available: async (productId: string) => (await prisma.stock.findUnique({ where: { productId } }))?.available,
    statusOf: async (orderId: string) => (await prisma.reservation.findUnique({ where: { orderId } }))?.status,

    eventsOf,
    kindsOf: async (orderId: string) => (await eventsOf(orderId)).map(({ kind }) => kind),
    /** The products whose available pieces are not `start` minus the reserved and shipped ones. */
    async inexact(start: number, productIds: string[]) {
      const left = new Map<string, number>();
      for (const { status, items } of await prisma.reservation.findMany()) {
        if (status !== 'RESERVED' && status !== 'SHIPPED') continue;
        for (const { productId, quantity } of items as unknown as Item[]) {
          left.set(productId, (left.get(productId) ?? start) - quantity);
        }
      }
      const stocks = await prisma.stock.findMany({ where: { productId: { in: productIds } } });
      return stocks.filter(({ productId, available }) => available !== (left.get(productId) ?? start));
    },
    rowCounts: async () => ({
      stock: await prisma.stock.findMany({ orderBy: { productId: 'asc' } }),
      reservations: await prisma.reservation.count(),
      events: await prisma.outbox.count(),
    }),
  };
}

export type Demanded = [productId: string, quantity: number];
const toItem = ([productId, quantity]: Demanded): Item => ({ productId, quantity });

type More<K extends EventKind> = Partial<Payload<K>>;
const total = { amount: 12.34, currency: 'USD' };

/** The events of one order. */
export function orderOf(...demanded: Demanded[]) {
  const common = { orderId: randomUUID(), customerId: alice };
  const items = demanded.map(toItem);
  return {
    ...common,
    items,
    created: (more: More<'OrderCreated'> = {}) => storedEvent('OrderCreated', { ...common, items, total, ...more }),
    paymentFailed: () => storedEvent('PaymentFailed', { ...common, reason: 'declined' }),
    shipped: (shipmentId: string = randomUUID()) => storedEvent('OrderShipped', { ...common, shipmentId }),
    cancelled: (reason = 'changed my mind') => storedEvent('OrderCancelled', { ...common, reason }),
  };
}
