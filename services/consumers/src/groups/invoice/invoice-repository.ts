import type { invoiceOut } from '@store/shared/contracts/invoice';
import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { parseJson } from '@store/shared/values/json';
import type { Money } from '@store/shared/values/money';
import { sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { DB } from '../../generated/tables.ts';
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

const asJson = sql<string>`${sql.raw(`json_build_object('number', number, 'orderId', order_id,
  'customerId', customer_id, 'paymentId', payment_id,
  'amount', json_build_object('amount', trim_scale(amount), 'currency', currency),
  'paidAt', ${isoTime('paid_at', 'MS')}, 'createdAt', ${isoTime('created_at', 'MS')})`)}::text`;

export type InvoiceRepository = ReturnType<typeof createInvoiceRepository>;

export const createInvoiceRepository = ({ kysely, lists }: Database<DB>) => ({
  list(query: InvoiceQuery) {
    let rows = lists.kysely.selectFrom('invoices').select(asJson.as('json'));
    if (query.orderId !== undefined) rows = rows.where('order_id', '=', query.orderId);
    if (query.number !== undefined) rows = rows.where('number', '=', String(query.number));
    return readCountedPage(lists.kysely, rows, keyset(query.sort), query);
  },
  /** A page of all invoices of a customer. */
  pageOf: (customerId: string, page: PageQuery) =>
    lists.inTurn(customerId, () =>
      readPage(
        lists.kysely.selectFrom('invoices').select(asJson.as('json')).where('customer_id', '=', customerId),
        keyset([{ field: 'number', direction: 'asc' }]),
        page,
      ),
    ),
  /** The invoice of an order. @param customerId whose it has to be; default: anybody's */
  async find(orderId: string, customerId?: string): Promise<z.input<typeof invoiceOut> | undefined> {
    const ofOrder = kysely.selectFrom('invoices').select(asJson.as('json')).where('order_id', '=', orderId);
    const own = customerId === undefined ? ofOrder : ofOrder.where('customer_id', '=', customerId);
    const row = await own.executeTakeFirst();
    return row && (parseJson(row.json) as z.input<typeof invoiceOut>);
  },
});

/**
 * Numbers are consecutive without gaps: whoever writes invoices waits for the previous transaction.
 * @param invoices of different orders
 */
export async function insertInvoices(tx: Transaction<DB>, invoices: Invoice[]): Promise<void> {
  // A statement of its own, so that the next one sees what was committed while this one waited.
  await tx.selectFrom('invoice_counter').select('id').where('id', '=', 1).forUpdate().execute();
  const rows = invoices.map(({ amount: { amount, currency }, ...invoice }, position) => ({
    ...invoice,
    amount: amount.toFixed(),
    currency,
    position,
  }));
  await sql`
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
    update invoice_counter set last_number = last_number + (select count(*) from wanted) where id = 1`.execute(tx);
}
