import { rowsAs } from '@store/shared/database/rows';
import { type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { nameUuid } from '@store/shared/values/name-uuid';

/** What the provider has taken for an order. Amounts are minor units. */
export interface BookedCharge {
  /** The id of its step, which becomes the id of the entry. */
  stepId: string;
  orderId: string;
  currency: string;
  amount: bigint;
  /** The part of the amount that is tax. */
  tax: bigint;
  at: Date;
}

/** What the provider has given back. */
export type BookedRefund = BookedCharge;

export interface BookedShipment {
  orderId: string;
  at: Date | string;
}

/** What the provider has taken back for a customer's bank: `open` takes the money, `won` returns it, `lost` is for good. */
export interface BookedDispute {
  /** The provider's. */
  disputeId: string;
  orderId: string;
  currency: string;
  amount: bigint;
  state: 'open' | 'won' | 'lost';
  at: Date;
}

export const shipmentEntryId = (orderId: string): string => nameUuid(`shipment of order ${orderId}`);

const disputeEntryId = (disputeId: string, state: string): string => nameUuid(`dispute ${disputeId} ${state}`);

/** Types of the columns of `BookedCharge`, with the amounts as text. */
const chargeTypes = {
  stepId: 'uuid',
  orderId: 'uuid',
  currency: 'text',
  amount: 'numeric',
  tax: 'numeric',
  at: 'timestamptz',
};

const inText = <Booked extends { amount: bigint; tax: bigint }>(booked: Booked) => ({
  ...booked,
  amount: String(booked.amount),
  tax: String(booked.tax),
});

/**
 * Books facts in the transaction that stores them (decision 42). The id of an entry is made from what it books, so a replay books
 * nothing. Each call writes all rows by one statement, and nothing if the books have them; callers need lock nothing first.
 *
 * What is owed to an order that is not shipped is its row of `unearned`. Shipping deletes the row and moves what is left there, so a
 * refund that finds no row knows that the revenue has been booked, whichever of them came first.
 */
export const bookOn = ({ send }: Transaction) => ({
  /** Moves what was taken for orders to the provider, as owed to them. */
  charged(charges: BookedCharge[]): void {
    send(sql`
      with charge as (select * from ${rowsAs('charge', charges.map(inText), chargeTypes)}),
      booked as (
        insert into entries (id, order_id, kind, at)
        select "stepId", "orderId", 'charge', at from charge order by "stepId"
        on conflict do nothing returning id
      ),
      owed as (
        insert into unearned (order_id, currency, amount, tax, at)
        select "orderId", currency, amount, tax, at from charge join booked on id = "stepId"
      )
      insert into entry_lines (entry, account, currency, amount)
      select id, line.account, currency, line.amount
      from charge join booked on id = "stepId"
      cross join lateral (values ('provider', amount), ('unearned', -amount)) as line (account, amount)
      where line.amount <> 0`);
  },

  /** Moves what is owed to orders to revenue and tax. Orders that the books do not have, or have as shipped, change nothing. */
  shipped(shipments: BookedShipment[]): void {
    const rows = shipments.map(({ orderId, at }) => ({ id: shipmentEntryId(orderId), orderId, at }));
    send(sql`
      with shipment as (select * from ${rowsAs('shipment', rows, { id: 'uuid', orderId: 'uuid', at: 'timestamptz' })}),
      locked as (
        select order_id from unearned join shipment on "orderId" = order_id order by order_id for update of unearned
      ),
      earned as (
        delete from unearned using locked join shipment on "orderId" = locked.order_id
        where unearned.order_id = locked.order_id
        returning shipment.id, unearned.order_id, currency, amount, tax, shipment.at
      ),
      booked as (
        insert into entries (id, order_id, kind, at) select id, order_id, 'shipment', at from earned
      )
      insert into entry_lines (entry, account, currency, amount)
      select id, line.account, currency, line.amount
      from earned
      cross join lateral (values ('unearned', amount), ('revenue', tax - amount), ('tax', -tax)) as line (account, amount)
      where line.amount <> 0`);
  },

  /**
   * Moves what was refunded from what is owed to its order or, after the shipment, from refunds and tax to the provider. A refund of all
   * that is left returns all tax that is left, however earlier ones were rounded.
   */
  refunded(refund: BookedRefund): void {
    const { stepId, orderId, currency, amount, tax, at } = refund;
    send(lockOwed(orderId));
    send(sql`
      with asked as (select ${String(amount)}::numeric as amount, ${String(tax)}::numeric as tax),
      earned as (
        select coalesce(-sum(amount), 0) as amount, coalesce(-sum(amount) filter (where account = 'tax'), 0) as tax
        from entries join entry_lines on entry = id
        where order_id = ${orderId}::uuid and account in ('revenue', 'refunds', 'tax')
      ),
      refund as (
        select asked.amount, unearned.order_id is not null as "isOwed",
               case
                 when unearned.order_id is not null
                   then unearned.tax - least(greatest(unearned.tax - asked.tax, 0), unearned.amount - asked.amount)
                 when asked.amount = earned.amount then least(earned.tax, asked.amount)
                 else greatest(least(asked.tax, earned.tax), 0)
               end as tax
        from asked cross join earned
        left join unearned on order_id = ${orderId}::uuid and unearned.amount >= asked.amount
      ),
      booked as (
        insert into entries (id, order_id, kind, at, tax)
        select ${stepId}::uuid, ${orderId}::uuid, 'refund', ${at}::timestamptz, tax from refund
        on conflict do nothing returning id
      ),
      owed as (
        update unearned set amount = unearned.amount - refund.amount, tax = unearned.tax - refund.tax
        from refund, booked where order_id = ${orderId}::uuid and "isOwed"
      )
      insert into entry_lines (entry, account, currency, amount)
      select id, line.account, ${currency}, line.amount
      from refund cross join booked
      cross join lateral (values
        ('provider', -amount),
        ('unearned', case when "isOwed" then amount else 0 end),
        ('refunds', case when "isOwed" then 0 else amount - tax end),
        ('tax', case when "isOwed" then 0 else tax end)
      ) as line (account, amount)
      where line.amount <> 0`);
  },

  /**
   * Takes back what `refunded` has booked: the provider could not return the money after all, and holds it again. What was owed is owed
   * again, or earned if the order was shipped meanwhile.
   */
  refundFailed({ stepId, orderId, at }: Pick<BookedRefund, 'stepId' | 'orderId' | 'at'>): void {
    send(lockOwed(orderId));
    send(sql`
      with refund as (
        select -line.amount as amount, currency, tax,
               exists (select from entry_lines as owed where owed.entry = entries.id and owed.account = 'unearned')
                 and exists (select from unearned where unearned.order_id = ${orderId}::uuid) as "isOwed"
        from entries join entry_lines as line on entry = id and account = 'provider'
        where id = ${stepId}::uuid
      ),
      booked as (
        insert into entries (id, order_id, kind, at)
        select ${nameUuid(`failure of refund ${stepId}`)}::uuid, ${orderId}::uuid, 'refund-failed', ${at}::timestamptz from refund
        on conflict do nothing returning id
      ),
      owed as (
        update unearned set amount = unearned.amount + refund.amount, tax = unearned.tax + refund.tax
        from refund, booked where order_id = ${orderId}::uuid and "isOwed"
      )
      insert into entry_lines (entry, account, currency, amount)
      select id, line.account, currency, line.amount
      from refund cross join booked
      cross join lateral (values
        ('provider', amount),
        ('unearned', case when "isOwed" then -amount else 0 end),
        ('refunds', case when "isOwed" then 0 else tax - amount end),
        ('tax', case when "isOwed" then 0 else -tax end)
      ) as line (account, amount)
      where line.amount <> 0`);
  },

  /**
   * Moves disputed money from the provider to the account disputes, and back if the dispute is won. What is lost stays there as a loss,
   * or is no longer owed if the order is not shipped. A state that is seen first books those before it.
   */
  disputed(dispute: BookedDispute): void {
    const { state } = dispute;
    send(bookDispute(dispute, 'open'));
    if (state !== 'open') send(bookDispute(dispute, state));
  },
});

/** Waits for a shipment at the same time, so that the next statement sees what it has moved. */
const lockOwed = (orderId: string): Sql => sql`select from unearned where order_id = ${orderId}::uuid for update`;

const disputeKinds = { open: 'dispute', won: 'dispute-won', lost: 'dispute-lost' } as const;

function bookDispute({ disputeId, orderId, currency, amount, at }: BookedDispute, state: BookedDispute['state']): Sql {
  /** By how much the provider's balance changes. */
  const returned = { open: -amount, won: amount, lost: 0n }[state];
  return sql`
    with dispute as (select ${String(amount)}::numeric as amount, ${String(returned)}::numeric as returned),
    booked as (
      insert into entries (id, order_id, kind, at)
      values (${disputeEntryId(disputeId, state)}::uuid, ${orderId}::uuid, ${disputeKinds[state]}, ${at})
      on conflict do nothing returning id
    ),
    owed as (
      update unearned
      set amount = unearned.amount - dispute.amount, tax = least(tax, unearned.amount - dispute.amount)
      from dispute, booked
      where ${state} = 'lost' and order_id = ${orderId}::uuid and unearned.amount >= dispute.amount
      returning dispute.amount as lost
    )
    insert into entry_lines (entry, account, currency, amount)
    select id, line.account, ${currency}, line.amount
    from dispute cross join booked left join owed on true
    cross join lateral (values
      ('provider', returned),
      ('unearned', coalesce(lost, 0)),
      ('disputes', -returned - coalesce(lost, 0))
    ) as line (account, amount)
    where line.amount <> 0`;
}
