import { raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from '../generated/client.ts';
import type { ShipmentDetails, StoredOrder } from '../order.ts';

/** A shipment as its order and its details show it. */
export interface ShipmentRow {
  id: string;
  orderId: string;
  shippedAt: Date | null;
  details: ShipmentDetails | null;
}

/** Whose orders a caller may read: those of an account that has not deleted them, or all. */
export type Readable = { accountId: string } | 'all';

export type ShipmentRepository = ReturnType<typeof createShipmentRepository>;

export const createShipmentRepository = ({ run }: Statements) => ({
  /** Finds the shipment of an order. `shippedAt` is null if it has none. @returns undefined if there is no such order for the caller */
  find: (readable: Readable, orderId: string): Promise<ShipmentRow | undefined> =>
    findShipment({ run }, orderId, readable === 'all' ? raw('true') : isOwn(readable.accountId)),
});

const isOwn = (accountId: string): Sql => sql`account_id = ${accountId}::uuid and deleted_at is null`;

/** Finds the shipment of any order in a transaction. */
export const shipmentOf = (tx: Transaction, orderId: string) => findShipment(tx, orderId, raw('true'));

/** An order that a replica of an earlier release shipped has no id for its shipment, which has the id of the order. */
async function findShipment({ run }: Statements, orderId: string, condition: Sql): Promise<ShipmentRow | undefined> {
  const [row] = await run<ShipmentRow>(sql`
    select coalesce(shipment_id, id) as id, id as "orderId", shipped_at as "shippedAt",
      (
        select json_build_object('carrier', carrier, 'trackingNumber', tracking_number, 'trackingUrl', tracking_url)
        from shipments where order_id = orders.id
      ) as details
    from orders where id = ${orderId}::uuid and ${condition}`);
  return row;
}

/** Stores what was entered about the shipment of a locked order. */
export async function insertDetails(
  tx: TransactionOf<PrismaClient>,
  { id: orderId, accountId }: StoredOrder,
  details: ShipmentDetails,
): Promise<void> {
  await tx.shipment.create({ data: { orderId, accountId, ...details }, select: { orderId: true } });
}
