import { randomUUID } from 'node:crypto';
import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { empty, raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { EventKind } from '@store/shared/messaging/events';
import { outboxChannel } from '@store/shared/messaging/outbox/append';
import { parseJson, stringifyJson } from '@store/shared/values/json';
import type { Money } from '@store/shared/values/money';
import type { Taxed } from '@store/shared/values/tax';
import type { z } from 'zod';
import type { PrismaClient } from '../../generated/client.ts';
import { creditNotesAsJson } from './credit-note-repository.ts';
import type { InvoiceQuery } from './schemas.ts';
import { invoiceTaxes } from './tax-lines.ts';

export interface Invoice {
  orderId: string;
  customerId: string;
  paymentId: string;
  amount: Money;
  taxes?: Taxed[] | undefined;
  paidAt: string;
  traceparent: string;
}

const keyset = createKeyset(
  'invoices',
  { number: { sql: 'number', text: 'number::text', type: 'bigint', accepts: /^\d{1,18}$/ } },
  'number',
);

const fields = `'number', number, 'orderId', order_id,
  'customerId', customer_id, 'paymentId', payment_id,
  'amount', json_build_object('amount', trim_scale(amount), 'currency', currency), 'taxes', taxes,
  'paidAt', ${isoTime('paid_at', 'MS')}, 'createdAt', ${isoTime('created_at', 'MS')}`;

const asJson = raw(`json_strip_nulls(json_build_object(${fields}))::text`);
const withCreditNotes = raw(
  `json_strip_nulls(json_build_object(${fields}, 'creditNotes', ${creditNotesAsJson('invoices.order_id')}))::text`,
);

export type InvoiceRepository = ReturnType<typeof createInvoiceRepository>;

const allInvoices = { select: sql`${asJson} as json`, from: sql`invoices` };

export const createInvoiceRepository = ({ run, lists }: Database<PrismaClient>) => ({
  list(query: InvoiceQuery) {
    const where: Sql[] = [];
    if (query.orderId !== undefined) where.push(sql`order_id = ${query.orderId}::uuid`);
    if (query.number !== undefined) where.push(sql`number = ${query.number}::bigint`);
    return readCountedPage<{ json: string }>(lists.run, { ...allInvoices, where }, keyset(query.sort), query);
  },
  /** A page of the customer's invoices, each with its credit notes. */
  pageOf: (customerId: string, page: PageQuery) =>
    lists.inTurn(customerId, () =>
      readPage<{ json: string }>(
        lists.run,
        {
          select: sql`${withCreditNotes} as json`,
          from: sql`invoices`,
          where: [sql`customer_id = ${customerId}::uuid`],
        },
        keyset([{ field: 'number', direction: 'asc' }]),
        page,
      ),
    ),
  /** The invoice of an order. @param customerId the customer that it must belong to; default: any */
  async find(orderId: string, customerId?: string): Promise<z.input<typeof invoiceOut> | undefined> {
    const own = customerId === undefined ? empty : sql`and customer_id = ${customerId}::uuid`;
    const [row] = await run<{ json: string }>(sql`
      select ${asJson} as json from invoices where order_id = ${orderId}::uuid ${own}`);
    return row && (parseJson(row.json) as z.input<typeof invoiceOut>); // made above
  },
});

const kind: EventKind = 'InvoiceIssued';

/**
 * Numbers are consecutive without gaps, so a transaction that writes invoices waits for the previous one. The events that announce
 * them need the numbers, so they are written by the same statement.
 * @param invoices of different orders
 */
export function insertInvoices(tx: Transaction, invoices: Invoice[], now: Date): void {
  // A separate statement, so that the next one sees rows that were committed while this one waited.
  tx.send(sql`select from invoice_counter where id = 1 for update`);
  const rows = invoices.map(({ amount, taxes, ...invoice }, position) => ({
    ...invoice,
    eventId: randomUUID(),
    amount: amount.amount.toFixed(),
    currency: amount.currency,
    taxes: taxes && stringifyJson(invoiceTaxes(amount, taxes)),
    position,
  }));
  const timestamp = now.toISOString();
  tx.send(sql`
    with wanted as (
      select *, last_number + row_number() over (order by position) as number
      from invoice_counter, ${rowsAs('row', rows, {
        orderId: 'uuid',
        customerId: 'uuid',
        paymentId: 'uuid',
        amount: 'numeric',
        currency: 'text',
        taxes: 'jsonb',
        paidAt: 'timestamptz',
        eventId: 'uuid',
        traceparent: 'text',
        position: 'int',
      })}
      where id = 1 and not exists (select from invoices where order_id = "orderId")
    ), inserted as (
      insert into invoices (number, order_id, customer_id, payment_id, amount, currency, taxes, paid_at)
      select number, "orderId", "customerId", "paymentId", amount, currency, taxes, "paidAt"
      from wanted
    ), announced as (
      insert into outbox (id, kind, key, payload, traceparent, created_at)
      select "eventId", ${kind}, "orderId"::text,
             json_build_object('orderId', "orderId", 'customerId', "customerId", 'timestamp', ${timestamp}::text,
               'invoiceNumber', number,
               'amount', json_build_object('amount', trim_scale(amount), 'currency', currency))::text,
             traceparent, ${now}::timestamptz
      from wanted
      order by number
    )
    update invoice_counter set last_number = last_number + (select count(*) from wanted) where id = 1`);
  tx.notifyAfterCommit(outboxChannel);
}
