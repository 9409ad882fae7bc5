import type { Database } from '@store/shared/database/database';
import { rowsAs } from '@store/shared/database/rows';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { CallTable, ClaimedCall, Taken } from '@store/shared/outgoing/outgoing';
import type { Money } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import type { PrismaClient } from './generated/client.ts';

export const queueName = 'payment';

/**
 * What is asked. Each is a lane, so that one that hangs delays no other: new charges do not wait for those whose outcome must be read
 * (`check`), nor for refunds. `outside` reads what becomes of a refund that was made at the provider. `tell` tells order what its
 * customer must do.
 */
export type Lane = 'charge' | 'refund' | 'check' | 'outside' | 'tell';

export interface NewCharge {
  orderId: string;
  hasToken: boolean;
  traceparent: string;
}

export interface NewRefund {
  id: string;
  orderId: string;
  customerId: string;
  /** Null if it was made at the provider and is pending there: it is only read what becomes of it. */
  paymentId: string | null;
  amount: Money;
  traceparent: string;
}

/** A step that a worker has claimed. */
export interface Step extends ClaimedCall {
  orderId: string;
  customerId: string;
  amount: string;
  currency: string;
  /** Of a refund that the store asks for. */
  paymentId: string | null;
  traceparent: string;
  hasToken: boolean;
  keyNumber: number;
  keyAgeSeconds: number;
  ageSeconds: number;
  isOpen: boolean;
}

/** Changes of a locked step besides its due time. */
export interface StepChange {
  id: string;
  lane?: Lane;
  /** From now on it has another key. */
  renewsKey?: boolean;
  isOpen?: boolean;
}

export const stepTable: CallTable<Step> = {
  table: 'payment_steps',
  columns: sql`order_id as "orderId", customer_id as "customerId", amount, currency, payment_id as "paymentId", traceparent,
    has_token as "hasToken", key_number as "keyNumber", open_since is not null as "isOpen",
    extract(epoch from now() - created_at)::int as "ageSeconds",
    extract(epoch from now() - coalesce(key_since, created_at))::int as "keyAgeSeconds"`,
  claim: ({ run }, statement) => run<Step>(statement),
};

/** The id of an order's charge, the same whenever it is written, so that it is written once. */
export const chargeId = (orderId: string): string => nameUuid(`charge of order ${orderId}`);

/** By which the provider knows that a call is repeated. */
export const keyOf = ({ id, keyNumber }: Pick<Step, 'id' | 'keyNumber'>): string =>
  keyNumber === 0 ? id : nameUuid(`key ${keyNumber} of step ${id}`);

/** Whether the provider is asked about money that goes back. */
export const isOfRefund = ({ lane }: { lane: string }): boolean => lane === 'refund' || lane === 'outside';

export type StepRepository = ReturnType<typeof createStepRepository>;

export const createStepRepository = ({ prisma }: Pick<Database<PrismaClient>, 'prisma'>) => ({
  /** The steps that an operator should settle, the oldest first. @param after id of the step to continue after */
  async open({ size, after }: { size: number; after?: string | undefined }) {
    const rows = await prisma.paymentStep.findMany({
      where: { openSince: { not: null } },
      orderBy: [{ openSince: 'asc' }, { id: 'asc' }],
      take: size + 1,
      ...(after !== undefined && { cursor: { id: after }, skip: 1 }),
    });
    const payments = await prisma.payment.findMany({
      where: { orderId: { in: rows.map(({ orderId }) => orderId) } },
      select: { orderId: true, provider: true, intentId: true },
    });
    const steps = rows.slice(0, size).map((row) => {
      const payment = payments.find(({ orderId }) => orderId === row.orderId);
      return {
        id: row.id,
        kind: isOfRefund(row) ? ('refund' as const) : ('charge' as const),
        orderId: row.orderId,
        customerId: row.customerId,
        amount: { amount: row.amount, currency: row.currency },
        provider: payment?.provider ?? null,
        intentId: payment?.intentId ?? null,
        attempts: row.attempts,
        createdAt: row.createdAt.toISOString(),
        openSince: (row.openSince ?? row.createdAt).toISOString(),
      };
    });
    return { steps, next: rows.length > size ? (steps.at(-1)?.id ?? null) : null };
  },

  countOpen: (): Promise<number> => prisma.paymentStep.count({ where: { openSince: { not: null } } }),
});

/** Writes what the provider is to be asked; `outgoing` asks it after the commit. */
export const stepsOn = ({ run, send }: Transaction) => ({
  /**
   * Adds a charge for those of the orders whose payment is CHARGING and has none.
   * @param taken if this process makes them itself
   * @returns the charges that were added
   */
  addCharges(charges: NewCharge[], taken?: Taken): Promise<Step[]> {
    const { attempts, leaseMs } = taken ?? { attempts: 0, leaseMs: 0 };
    const rows = charges.map((charge) => ({ ...charge, id: chargeId(charge.orderId) }));
    // `any` as in paymentsOn().update.
    return run<Step>(sql`
      insert into payment_steps (id, lane, order_id, customer_id, amount, currency, traceparent, has_token, attempts, due_at)
      select step.id, 'charge', order_id, customer_id, amount, currency, step.traceparent, step."hasToken", ${attempts}::int,
             now() + ${leaseMs}::int * interval '1 ms'
      from ${rowsAs('step', rows, { id: 'uuid', orderId: 'uuid', traceparent: 'text', hasToken: 'boolean' })}
      join payments on order_id = step."orderId" and order_id = any(${charges.map(({ orderId }) => orderId)}::uuid[])
      where status = 'CHARGING'
      order by order_id
      on conflict do nothing
      returning id, lane, attempts, ${stepTable.columns}`);
  },

  addRefunds(refunds: NewRefund[]): void {
    const rows = refunds.map(({ amount: { amount, currency }, ...step }) => ({
      ...step,
      amount: amount.toFixed(),
      currency,
    }));
    send(sql`
      insert into payment_steps (id, lane, order_id, customer_id, payment_id, amount, currency, traceparent, due_at)
      select id, case when "paymentId" is null then 'outside' else 'refund' end, "orderId", "customerId", "paymentId",
             amount, currency, traceparent, now()
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
    const ids = orderIds.map(chargeId);
    const rows = await run<{ orderId: string; attempts: number }>(sql`
      select order_id as "orderId", attempts from payment_steps
      where id = any(${ids}::uuid[]) order by id for update`);
    return new Map(rows.map(({ orderId, attempts }) => [orderId, { attempts }]));
  },

  /** Has order told, soon, what the customers of these orders must do now. */
  addTellings(orders: { orderId: string; traceparent: string }[]): void {
    const rows = orders.map((order) => ({ ...order, id: nameUuid(`action of order ${order.orderId}`) }));
    send(sql`
      insert into payment_steps (id, lane, order_id, customer_id, amount, currency, traceparent, due_at)
      select step.id, 'tell', order_id, customer_id, amount, currency, step.traceparent, now()
      from ${rowsAs('step', rows, { id: 'uuid', orderId: 'uuid', traceparent: 'text' })}
      join payments on order_id = step."orderId"
      where status = 'CHARGING'
      order by step.id
      on conflict (id) do update set due_at = now(), attempts = payment_steps.attempts + 1`);
  },

  /** Changes locked steps. Leaves undefined properties as they are. */
  change(changes: StepChange[]): void {
    send(sql`
      update payment_steps as step
      set lane = coalesce(change.lane, step.lane),
          key_number = step.key_number + change."renewsKey"::int,
          key_since = case when change."renewsKey" then now() else step.key_since end,
          open_since = case change."isOpen" when true then coalesce(step.open_since, now()) when false then null else step.open_since end
      from ${rowsAs(
        'change',
        changes.map((change) => ({ ...change, renewsKey: change.renewsKey ?? false })),
        { id: 'uuid', lane: 'text', renewsKey: 'boolean', isOpen: 'boolean' },
      )}
      where step.id = change.id`);
  },

  /**
   * Has the charges of these orders read now. One that is being made for the first time is left alone: its outcome comes by itself.
   * @param settled whether those that are settled are read again too, for refunds and disputes made at the provider: their age counts
   *   from now on, that of their keys does not
   */
  check(orderIds: string[], { settled }: { settled: boolean }): void {
    const ids = orderIds.map(chargeId);
    send(sql`
      update payment_steps
      set lane = 'check', due_at = least(due_at, now()),
          key_since = case when due_at is null then coalesce(key_since, created_at) else key_since end,
          created_at = case when due_at is null then now() else created_at end
      where id in (
        select id from payment_steps
        where id = any(${ids}::uuid[]) and attempts > 0 and (lane = 'check' and due_at is not null or ${settled}::boolean and due_at is null)
        order by id for update
      )`);
  },

  /** Has these refunds asked about now, unless they are settled. */
  checkRefunds(ids: string[]): void {
    send(sql`
      update payment_steps set due_at = least(due_at, now())
      where id in (select id from payment_steps where id = any(${ids}::uuid[]) and due_at is not null order by id for update)`);
  },

  /** Locks a step that an operator settles. @returns undefined if there is none */
  async lockStep(id: string): Promise<(Step & { openSince: Date | null }) | undefined> {
    const [row] = await run<Step & { openSince: Date | null }>(sql`
      select id, lane, attempts, ${stepTable.columns}, open_since as "openSince"
      from payment_steps where id = ${id}::uuid for update`);
    return row;
  },

  /** A locked step is settled: nothing is asked or read any more, unless the provider says that something has changed. */
  settle(id: string): void {
    send(sql`update payment_steps set due_at = null, open_since = null where id = ${id}::uuid`);
  },

  /** Has locked steps that nobody has carried out never be. */
  drop(ids: string[]): void {
    send(sql`update payment_steps set due_at = null where id = any(${ids}::uuid[])`);
  },
});
