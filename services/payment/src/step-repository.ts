import { rowsAs } from '@store/shared/database/rows';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { CallTable, ClaimedCall } from '@store/shared/outgoing/outgoing';
import type { Money } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';

/** What the provider is asked. Each is a lane: refunds that hang delay no charge. */
export type StepKind = 'charge' | 'refund';

export interface NewCharge {
  orderId: string;
  traceparent: string;
}

export interface NewRefund {
  orderId: string;
  customerId: string;
  paymentId: string;
  amount: Money;
  traceparent: string;
}

/** A step that a worker has claimed. */
export interface Step extends ClaimedCall {
  orderId: string;
  customerId: string;
  amount: string;
  currency: string;
  /** Of a refund. */
  paymentId: string | null;
  traceparent: string;
}

export const stepTable: CallTable<Step> = {
  table: 'payment_steps',
  columns: sql`order_id as "orderId", customer_id as "customerId", amount, currency, payment_id as "paymentId", traceparent`,
  claim: ({ run }, statement) => run<Step>(statement),
};

/** The same for an order whenever its step is written, so that it is written once. The provider gets it as the key of the call. */
export const stepId = (kind: StepKind, orderId: string): string => nameUuid(`${kind} of order ${orderId}`);

/** Writes what the provider is to be asked; `outgoing` asks it after the commit. */
export const stepsOn = ({ run }: Transaction) => ({
  /** Adds a charge for those of the orders whose payment is CHARGING and has none. */
  async addCharges(charges: NewCharge[]): Promise<void> {
    const rows = charges.map(({ orderId, traceparent }) => ({
      id: stepId('charge', orderId),
      orderId,
      traceparent,
    }));
    await run(sql`
      insert into payment_steps (id, lane, order_id, customer_id, amount, currency, traceparent, due_at)
      select step.id, 'charge', order_id, customer_id, amount, currency, step.traceparent, now()
      from ${rowsAs('step', rows, { id: 'uuid', orderId: 'uuid', traceparent: 'text' })}
      join payments on order_id = step."orderId"
      where status = 'CHARGING'
      order by order_id
      on conflict do nothing`);
  },

  async addRefunds(refunds: NewRefund[]): Promise<void> {
    const rows = refunds.map(({ amount: { amount, currency }, ...step }) => ({
      ...step,
      id: stepId('refund', step.orderId),
      amount: amount.toFixed(),
      currency,
    }));
    await run(sql`
      insert into payment_steps (id, lane, order_id, customer_id, payment_id, amount, currency, traceparent, due_at)
      select id, 'refund', "orderId", "customerId", "paymentId", amount, currency, traceparent, now()
      from ${rowsAs('step', rows, {
        id: 'uuid',
        orderId: 'uuid',
        customerId: 'uuid',
        paymentId: 'uuid',
        amount: 'numeric',
        currency: 'text',
        traceparent: 'text',
      })}
      order by id
      on conflict do nothing`);
  },

  /** Locks the charges of these orders, in the order that workers lock them. @returns them by their orders */
  async lockCharges(orderIds: string[]): Promise<Map<string, { attempts: number }>> {
    const ids = orderIds.map((orderId) => stepId('charge', orderId));
    const rows = await run<{ orderId: string; attempts: number }>(sql`
      select order_id as "orderId", attempts from payment_steps
      where id = any(${ids}::uuid[]) order by id for update`);
    return new Map(rows.map(({ orderId, attempts }) => [orderId, { attempts }]));
  },

  /** Has locked steps that nobody has carried out never be. */
  async drop(ids: string[]): Promise<void> {
    await run(sql`update payment_steps set due_at = null where id = any(${ids}::uuid[])`);
  },
});
