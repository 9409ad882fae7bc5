import type { shipmentOut } from '@store/shared/contracts/order';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import type { TransactionOf } from '@store/shared/database/transaction';
import { newEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { DomainError, found, unreachable } from '@store/shared/values/errors';
import { requestHash } from '@store/shared/values/request-hash';
import type { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import type { ShipmentDetails, StoredOrder } from '../order.ts';
import { lockOrder } from '../order-repository.ts';
import { keyReused, stillRunning } from '../placing/idempotency.ts';
import { findKeyed, type KeyedRequest, lockKey, storeKey } from '../placing/idempotency-repository.ts';
import { isAccountDeleted } from '../records/order-note-repository.ts';
import { sagaOn } from '../saga/saga-repository.ts';
import type { ShipmentIn } from '../schemas.ts';
import {
  insertDetails,
  type Readable,
  type ShipmentRepository,
  type ShipmentRow,
  shipmentOf,
} from './shipment-repository.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: ShipmentRepository;
  clock: () => Date;
}

interface Shipper {
  /** As the audit trail names the caller. */
  actor: string;
  /** The key belongs to this account. An operator in the console has none. */
  keyed?: { accountId: string; key: string } | undefined;
}

type ShipmentOut = z.input<typeof shipmentOut>;

export type Shipments = ReturnType<typeof createShipments>;

/** Shipments that people make and read (contract 4.20). */
export function createShipments({ transactionOf, repository, clock }: Dependencies) {
  /** Ships a locked order in the same way as the timer (saga/due-orders.ts). */
  async function ship(tx: TransactionOf<PrismaClient>, actor: string, order: StoredOrder, details: ShipmentDetails) {
    mustBeShippable(order);
    const now = clock();
    const shipped = await sagaOn(tx).shipOne(order.id, now);
    if (shipped === undefined) throw new Error('The order was locked and could be shipped, but was not.');
    const { orderId, customerId, shipmentId } = shipped;
    // An account that was deleted meanwhile leaves nothing that could be personal.
    const isKept = Object.values(details).some((value) => value !== null) && !(await isAccountDeleted(tx, order));
    if (isKept) await insertDetails(tx, order, details);
    appendToOutbox(tx, newEvent('OrderShipped', { orderId, customerId, timestamp: now.toISOString(), shipmentId }));
    // Only the id, because the details are deleted with the account.
    recordChange(tx, { actor, kind: 'order', subject: orderId, after: JSON.stringify({ shipment: shipmentId }) });
    return toShipmentOut({ id: shipmentId, orderId, shippedAt: now, details: isKept ? details : null });
  }

  /** The shipments of an order: none or one. @throws DomainError notFound */
  async function list(readable: Readable, orderId: string): Promise<ShipmentOut[]> {
    const row = found(await repository.find(readable, orderId), `order ${orderId}`);
    return row.shippedAt === null ? [] : [toShipmentOut(row)];
  }

  return {
    /**
     * Ships a paid order, once for all requests with the same Idempotency-Key (contract 4.7).
     * @throws DomainError notFound; conflict if the order is cancelled, shipped or not paid, or the key is in use; ruleBroken if the
     * key was used for another request
     */
    ship: (
      { actor, keyed }: Shipper,
      orderId: string,
      { carrier, trackingNumber, trackingUrl }: ShipmentIn,
    ): Promise<{ shipment: ShipmentOut; replayed: boolean }> =>
      transactionOf(actor, async (tx) => {
        const details = {
          carrier: carrier ?? null,
          trackingNumber: trackingNumber ?? null,
          trackingUrl: trackingUrl ?? null,
        };
        const request = keyed && { ...keyed, hash: requestHash(['shipment', orderId, details]) };
        if (request !== undefined) {
          const first = await firstOf(tx, request, clock());
          if (first !== undefined) return { shipment: first, replayed: true };
        }
        const order = found(await lockOrder(tx, orderId), `order ${orderId}`);
        const shipment = await ship(tx, actor, order, details);
        if (request !== undefined) storeKey(tx, { ...request, orderId, shipmentId: shipment.id }, clock());
        return { shipment, replayed: false };
      }),

    list,

    /** @throws DomainError notFound */
    async get(readable: Readable, orderId: string, id: string): Promise<ShipmentOut> {
      const [shipment] = await list(readable, orderId);
      return found(shipment?.id === id ? shipment : undefined, `shipment ${id} of the order`);
    },
  };
}

/** Locks a key, and returns the shipment that was made with it. */
async function firstOf(
  tx: TransactionOf<PrismaClient>,
  { accountId, key, hash }: KeyedRequest & { accountId: string },
  now: Date,
): Promise<ShipmentOut | undefined> {
  if (!(await lockKey(tx, accountId, key))) throw stillRunning();
  const first = await findKeyed(tx, accountId, key, now);
  if (first === undefined) return undefined;
  if (first.requestHash !== hash || first.orderId === null) throw keyReused();
  const shipment = await shipmentOf(tx, first.orderId);
  return shipment && toShipmentOut(shipment);
}

function mustBeShippable({ status, shippedAt }: StoredOrder): void {
  if (shippedAt !== null)
    throw new DomainError('conflict', 'The order has already been shipped.', { code: 'order-shipped' });
  switch (status) {
    case 'PENDING':
      throw new DomainError('conflict', 'The order is not paid yet.', { code: 'order-not-paid' });
    case 'CANCELLED':
      throw new DomainError('conflict', 'The order is cancelled.', { code: 'order-cancelled' });
    case 'CONFIRMED':
      return;
    default:
      unreachable(status);
  }
}

const nothing: ShipmentDetails = { carrier: null, trackingNumber: null, trackingUrl: null };

const toShipmentOut = ({ id, orderId, shippedAt, details }: ShipmentRow): ShipmentOut => {
  const { carrier, trackingNumber, trackingUrl } = details ?? nothing;
  return { id, orderId, shippedAt: shippedAt?.toISOString() ?? '', carrier, trackingNumber, trackingUrl };
};
