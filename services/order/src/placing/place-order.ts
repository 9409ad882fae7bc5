import { randomUUID } from 'node:crypto';
import type { ProductClient } from '@store/shared/contracts/product-client';
import { newEvent } from '@store/shared/messaging/events';
import { DomainError } from '@store/shared/values/errors';
import { total } from '@store/shared/values/money';
import { requestHash } from '@store/shared/values/request-hash';
import type { AuthClient } from '../auth-client.ts';
import {
  asPlaced,
  type Line,
  mergeLines,
  mustCost,
  type Order,
  type PlacedOrder,
  priceLines,
  taxesOf,
} from '../order.ts';
import type { OrderIn } from '../schemas.ts';
import { createOnlyOnce, type Reply, stillRunning } from './idempotency.ts';
import type { IdempotencyRepository, KeyedRequest } from './idempotency-repository.ts';
import type { NewOrderRepository } from './new-order-repository.ts';

interface Dependencies {
  repository: NewOrderRepository;
  keys: IdempotencyRepository;
  products: ProductClient;
  /** Throws if the account may not place orders. Default: all accounts may. */
  checkMayOrder?: AuthClient['mustBeConfirmed'] | undefined;
  /** ISO 4217 */
  currency: string;
  /** The rate of tax of products without their own. */
  taxPermille: number;
  /** Whether an order must say what it is paid with. */
  needsToken: boolean;
  clock: () => Date;
}

export type PlaceOrder = ReturnType<typeof createPlaceOrder>;

/** Creates the function that places orders (contract 4.5). */
export function createPlaceOrder(dependencies: Dependencies) {
  const { repository, keys, products, checkMayOrder, currency, taxPermille, needsToken, clock } = dependencies;
  const onlyOnce = createOnlyOnce(keys, clock);

  async function priceAndStore(
    accountId: string,
    lines: Line[],
    { expectedTotal, shippingAddress, metadata, payment }: OrderIn,
    request: KeyedRequest | undefined,
  ): Promise<Order> {
    if (needsToken && payment === undefined) throw paymentRequired();
    const found = await products.find(lines.map(({ productId }) => productId));
    const items = priceLines(lines, found, taxPermille);
    const sum = total(items, currency);
    mustCost(expectedTotal, sum, items);
    const now = clock();
    const order: PlacedOrder = {
      id: randomUUID(),
      accountId,
      totalAmount: sum.amount,
      currency,
      items,
      details: { shippingAddress: shippingAddress ?? null, metadata: metadata ?? null },
      createdAt: now,
    };
    const event = newEvent('OrderCreated', {
      orderId: order.id,
      customerId: accountId,
      timestamp: now.toISOString(),
      items: lines,
      total: sum,
      taxes: taxesOf(items, sum),
      hasToken: payment && true,
    });
    switch (await repository.insert(order, event, request, payment?.token)) {
      case 'stored':
        return asPlaced(order);
      case 'keyed':
        throw stillRunning();
      case 'refused':
        throw tooManyCancellations();
    }
  }

  return async (accountId: string, body: OrderIn, key: string | undefined): Promise<Reply> => {
    if (body.customerId !== undefined && body.customerId !== accountId) {
      throw new DomainError('forbidden', 'You can place orders for your own account only.');
    }
    await checkMayOrder?.(accountId);
    const lines = mergeLines(body.items);
    const hash = requestHash(body);
    const request = key === undefined ? undefined : { key, hash };
    return onlyOnce(accountId, request, () => priceAndStore(accountId, lines, body, request));
  };
}

const paymentRequired = () =>
  new DomainError('ruleBroken', 'Say what the order is paid with: payment.token is missing.', {
    code: 'payment-required',
  });

const tooManyCancellations = () =>
  new DomainError('rateLimited', 'Too many of your orders from the last hour were cancelled. Try again later.', {
    code: 'too-many-cancellations',
    retryAfterSeconds: 600,
  });
