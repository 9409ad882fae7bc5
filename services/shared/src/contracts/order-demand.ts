import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';
import { moneySchema } from '../values/money.ts';
import { orderOut } from './order.ts';

/** Demand of an order, for services that receive its event, which omits this (contract 6.3). */
export const orderDemandOut = z.object({
  orderId: uuid,
  items: z.array(z.object({ productId: uuid, quantity: z.int().positive() })).min(1),
  total: moneySchema,
});

/** Lines of an order with its prices, for payment, which refunds by them. */
export const orderLinesOut = orderOut.pick({ items: true });

/** An order that was shipped, for payment's books. */
export const shippedOrderOut = z.object({ orderId: uuid, shippedAt: timestamp });

export const maxDemands = 100;
export const maxShipped = 100;
