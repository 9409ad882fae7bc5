import type { RequestListener } from 'node:http';
import type { ProductClient } from '@store/shared/contracts/product-client';
import { openDatabase } from '@store/shared/database/database';
import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import type { AuthClient } from '../src/auth-client.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createOrderListRepository } from '../src/lists/order-list-repository.ts';
import { createIdempotencyRepository } from '../src/placing/idempotency-repository.ts';
import { createOrderService } from '../src/service.ts';

export const alice = 'a11ce000-3a52-4d0f-9f0e-0d8a55a1c001';
export const bob = 'b0b00000-3a52-4d0f-9f0e-0d8a55a1c002';

export const tea = '00000000-0000-4000-8000-0000000007ea';
export const salt = '00000000-0000-4000-8000-000000005a17';
export const gold = '00000000-0000-4000-8000-00000000601d';
export const dust = '00000000-0000-4000-8000-00000000d057';
export const unknown = '00000000-0000-4000-8000-00000000dead';

/** A fake product service. `answer` may delay or fail its answers. */
export function fakeProducts() {
  const products = {
    asked: [] as string[][],
    answer: async (): Promise<void> => undefined,
    name: 'Tea',
    sku: null as string | null,
    /** By product id. A product without a price does not exist. */
    prices: { [tea]: '4.5', [salt]: '0.0050', [gold]: '999999999999.9999', [dust]: '0.0001' } as Record<string, string>,
    /** Rates of tax by product id, of products that have their own. */
    taxes: {} as Record<string, number>,
    async find(ids: string[]) {
      products.asked.push(ids);
      await products.answer();
      const priced = Object.entries(products.prices).filter(([id]) => ids.includes(id));
      return new Map(
        priced.map(([id, price]) => [
          id,
          {
            name: products.name,
            sku: products.sku,
            price: new Decimal(price),
            taxPermille: products.taxes[id] ?? null,
          },
        ]),
      );
    },
  };
  return products satisfies ProductClient;
}

interface Options {
  products?: ProductClient;
  sessionCheck?: AuthClient['findEnded'];
  maxStreams?: number;
  clock?: () => Date;
  /** Errors that the test provokes. */
  expects?: RegExp;
  env?: Record<string, string>;
}

const noneEnded = async () => new Set<string>();

/** The real service on the given database. */
export function testApp(databaseUrl: string, options: Options = {}) {
  const { products = fakeProducts(), sessionCheck = noneEnded, maxStreams, clock, expects, env } = options;
  const database = openDatabase(PrismaClient, databaseUrl);
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    PRODUCT_URL: 'http://product',
    AUTH_URL: 'http://auth',
    APP_PROFILE: 'dev',
    ...env,
  });
  const log = testLog('order', expects);
  const { app, endStreams, jobs } = createOrderService(
    { config, log, database },
    { products, sessionCheck, maxStreams, clock },
  );
  const { prisma, close } = database;
  const keys = createIdempotencyRepository(database);
  const lists = createOrderListRepository(database);
  const empty = () =>
    prisma.$executeRaw`truncate orders, order_items, order_details, payment_details, order_notes, shipments, deleted_accounts, idempotency_keys, outbox`;
  return { app, log, endStreams, jobs, database, prisma, keys, lists, empty, close };
}

export const oneTea = { items: [{ productId: tea, quantity: 1 }] };

/** Requests of a customer to a service, which may be opened later. */
export function as(accountId: string, service: { app: RequestListener }) {
  const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, headers: object = {}) =>
    request(service.app)
      [method](path)
      .set({ 'id-account': accountId, ...headers });
  /** @param body JSON, or an object */
  const place = (body: object | string = oneTea, headers: object = {}) =>
    call('post', '/orders', headers).type('json').send(body);
  return {
    call,
    place,
    placeWith: async (key: string, body?: object | string) => place(body, { 'Idempotency-Key': key }),
    placed: async (): Promise<string> => (await place().expect(201)).body.id,
    list: (query = '') => call('get', `/orders${query}`),
    get: (id: string, headers: object = {}) => call('get', `/orders/${id}`, headers),
    change: (id: string, body: object = { status: 'CANCELLED' }, headers: object = {}) =>
      call('patch', `/orders/${id}`, headers).send(body),
    remove: (id: string, headers: object = {}) => call('delete', `/orders/${id}`, headers),
    cancel: (id: string) => call('post', `/orders/${id}/cancellation`),
    cancellation: (id: string) => call('get', `/orders/${id}/cancellation`),
  };
}

export const nothing = { orders: 0, items: 0, keys: 0, events: 0 };
export const oneOrder = { orders: 1, items: 1, keys: 1, events: 1 };

/** The numbers of rows in the tables. */
export async function rowCounts(prisma: PrismaClient) {
  return {
    orders: await prisma.order.count(),
    items: await prisma.orderItem.count(),
    keys: await prisma.idempotencyKey.count(),
    events: await prisma.outbox.count(),
  };
}

/** The events of an order, in the order in which they were written. */
export async function eventsOf(prisma: PrismaClient, orderId: string) {
  const rows = await prisma.outbox.findMany({ where: { key: orderId }, orderBy: { seq: 'asc' } });
  return rows.map(({ kind }) => kind);
}
