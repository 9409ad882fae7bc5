import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { Money } from '@store/shared/values/money';
import type { z } from 'zod';
import type { PrismaClient } from '../../generated/client.ts';
import type { InvoiceQuery } from './schemas.ts';

export interface Invoice {
  orderId: string;
  customerId: string;
  paymentId: string;
  amount: Money;
  paidAt: string;
}

const keyset = createKeyset(
  'invoices',
  { number: { sql: 'number', text: 'number::text', type: 'bigint', accepts: /^\d{1,18}$/ } },
  'number',
);

const asJson = raw(`json_build_object('number', number, 'orderId', order_id,
  'customerId', customer_id, 'paymentId', payment_id,
  'amount', json_build_object('amount', trim_scale(amount), 'currency', currency),
  'paidAt', ${isoTime('paid_at', 'MS')}, 'createdAt', ${isoTime('created_at', 'MS')})::text`);

export type InvoiceRepository = ReturnType<typeof createInvoiceRepository>;

const allInvoices = { select: sql`${asJson} as json`, from: sql`invoices` };

export const createInvoiceRepository = ({ prisma, lists }: Database<PrismaClient>) => ({
  list(query: InvoiceQuery) {
    const where: Sql[] = [];
    if (query.orderId !== undefined) where.push(sql`order_id = ${query.orderId}::uuid`);
    if (query.number !== undefined) where.push(sql`number = ${query.number}::bigint`);
    return readCountedPage<{ json: string }>(lists.run, { ...allInvoices, where }, keyset(query.sort), query);
  },
  /** A page of the customer's invoices. */
  pageOf: (customerId: string, page: PageQuery) =>
    lists.inTurn(customerId, () =>
      readPage<{ json: string }>(
        lists.run,
        { ...allInvoices, where: [sql`customer_id = ${customerId}::uuid`] },
        keyset([{ field: 'number', direction: 'asc' }]),
        page,
      ),
    ),
  /** The invoice of an order. @param customerId the customer that it must belong to; default: any */
  async find(orderId: string, customerId?: string): Promise<z.input<typeof invoiceOut> | undefined> {
    const own = customerId === undefined ? {} : { customerId };
    const row = await prisma.invoice.findUnique({ where: { orderId, ...own } });
    if (row === null) return undefined;
    const { currency, ...invoice } = row;
    return {
      ...invoice,
      number: Number(row.number),
      amount: { amount: row.amount, currency },
      paidAt: row.paidAt.toISOString(),
      createdAt: row.createdAt.toISOString(),
    };
  },
});

/**
 * Numbers are consecutive without gaps, so a transaction that writes invoices waits for the previous one.
 * @param invoices of different orders
 */
export async function insertInvoices({ run }: Transaction, invoices: Invoice[]): Promise<void> {
  // A separate statement, so that the next one sees rows that were committed while this one waited.
  await run(sql`select from invoice_counter where id = 1 for update`);
  const rows = invoices.map(({ amount: { amount, currency }, ...invoice }, position) => ({
    ...invoice,
    amount: amount.toFixed(),
    currency,
    position,
  }));
  await run(sql`
    with wanted as (
      select *
      from ${rowsAs('row', rows, {
        orderId: 'uuid',
        customerId: 'uuid',
        paymentId: 'uuid',
        amount: 'numeric',
        currency: 'text',
        paidAt: 'timestamptz',
        position: 'int',
      })}
      where not exists (select from invoices where order_id = "orderId")
    ), inserted as (
      insert into invoices (number, order_id, customer_id, payment_id, amount, currency, paid_at)
      select last_number + row_number() over (order by position),
             "orderId", "customerId", "paymentId", amount, currency, "paidAt"
      from wanted, invoice_counter where id = 1
    )
    update invoice_counter set last_number = last_number + (select count(*) from wanted) where id = 1`);
}
