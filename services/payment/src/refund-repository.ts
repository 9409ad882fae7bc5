import type { Database } from '@store/shared/database/database';
import { rowsAs } from '@store/shared/database/rows';
import { sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { Dispute as DisputeRow, PrismaClient, Refund as RefundRow } from './generated/client.ts';
import type { Dispute, Refund, RefundLine } from './refund.ts';

/** A request of an operator: their key, and a hash of what was asked. Two requests with the same hash are the same. */
export interface KeyedRefund {
  key: string;
  hash: string;
}

export type RefundRepository = ReturnType<typeof createRefundRepository>;

export const createRefundRepository = ({ prisma }: Pick<Database<PrismaClient>, 'prisma'>) => ({
  /** The refunds of an order, oldest first. */
  async ofOrder(orderId: string): Promise<Refund[]> {
    return (await prisma.refund.findMany({ where: { orderId }, orderBy })).map(toRefund);
  },

  async disputesOfOrder(orderId: string): Promise<Dispute[]> {
    return (await prisma.dispute.findMany({ where: { orderId }, orderBy })).map(toDispute);
  },

  /** Finds the refund that an operator has made with a key. */
  async ofKey(actor: string, idempotencyKey: string): Promise<(Refund & { hash: string | null }) | undefined> {
    const row = await prisma.refund.findUnique({ where: { actor_idempotencyKey: { actor, idempotencyKey } } });
    return row === null ? undefined : { ...toRefund(row), hash: row.requestHash };
  },

  countOpenDisputes: (): Promise<number> => prisma.dispute.count({ where: { state: 'OPEN' } }),
});

const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

/** Refunds and disputes of locked payments: whoever changes them has locked the payment. */
export const refundsOn = (tx: TransactionOf<PrismaClient>) => ({
  async ofOrders(orderIds: string[]): Promise<{ refunds: Refund[]; disputes: Dispute[] }> {
    const where = { orderId: { in: orderIds } };
    const refunds = await tx.refund.findMany({ where, orderBy });
    const disputes = await tx.dispute.findMany({ where, orderBy });
    return { refunds: refunds.map(toRefund), disputes: disputes.map(toDispute) };
  },

  /** @returns the ids of those that were not stored yet, by id or key */
  async insert(refunds: Refund[], keyed?: KeyedRefund): Promise<Set<string>> {
    return insertRefunds(tx, refunds, keyed);
  },

  async update({ id, state, failure, providerRef, updatedAt }: Refund): Promise<void> {
    await tx.refund.update({ where: { id }, data: { state, failure, providerRef, updatedAt } });
  },

  async save(dispute: Dispute): Promise<void> {
    const { id, state, updatedAt } = dispute;
    const data = { ...dispute, amount: dispute.amount.toString() };
    await tx.dispute.upsert({ where: { id }, create: data, update: { state, amount: data.amount, updatedAt } });
  },

  /** Deletes the words of operators about customers. */
  async forgetReasons(customerIds: string[]): Promise<void> {
    await tx.refund.updateMany({ where: { customerId: { in: customerIds } }, data: { reason: null } });
  },
});

async function insertRefunds({ run }: Transaction, refunds: Refund[], keyed?: KeyedRefund): Promise<Set<string>> {
  const rows = refunds.map(({ amount, lines, ...refund }) => ({
    ...refund,
    amount: amount.toString(),
    lines: lines === null ? null : JSON.stringify(lines),
    key: keyed?.key,
    hash: keyed?.hash,
  }));
  const inserted = await run<{ id: string }>(sql`
    insert into refunds (id, order_id, customer_id, source, state, amount, currency, lines, operator_reason, actor,
                         idempotency_key, request_hash, failure, provider_ref, created_at, updated_at)
    select id, "orderId", "customerId", source, state, amount, currency, lines, reason, actor, key, hash, failure, "providerRef",
           "createdAt", "updatedAt"
    from ${rowsAs('row', rows, {
      id: 'uuid',
      orderId: 'uuid',
      customerId: 'uuid',
      source: 'text',
      state: 'text',
      amount: 'numeric',
      currency: 'text',
      lines: 'jsonb',
      reason: 'text',
      actor: 'text',
      key: 'text',
      hash: 'text',
      failure: 'text',
      providerRef: 'text',
      createdAt: 'timestamptz',
      updatedAt: 'timestamptz',
    })}
    order by id
    on conflict do nothing
    returning id`);
  return new Set(inserted.map(({ id }) => id));
}

/** The database checks source and state; only this service writes lines. */
function toRefund({ amount, lines, idempotencyKey: _, requestHash: __, ...row }: RefundRow): Refund {
  const { source, state } = row as { source: Refund['source']; state: Refund['state'] };
  return { ...row, source, state, amount: BigInt(amount.toFixed()), lines: lines as RefundLine[] | null };
}

function toDispute({ amount, ...row }: DisputeRow): Dispute {
  return { ...row, state: row.state as Dispute['state'], amount: BigInt(amount.toFixed()) };
}
