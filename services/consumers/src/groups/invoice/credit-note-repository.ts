import type { creditNoteOut } from '@store/shared/contracts/credit-note';
import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { newEvent, PoisonError } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { runInTrace, type Trace } from '@store/shared/observability/trace-context';
import { found } from '@store/shared/values/errors';
import { parseJson, stringifyJson } from '@store/shared/values/json';
import { Decimal, type Money } from '@store/shared/values/money';
import type { Taxed } from '@store/shared/values/tax';
import type { z } from 'zod';
import type { PrismaClient } from '../../generated/client.ts';
import type { CreditNoteQuery } from './schemas.ts';
import { creditNoteTaxes } from './tax-lines.ts';

export interface Refund {
  /** Each refund gets one credit note, whatever announces it. */
  refundId: string;
  orderId: string;
  customerId: string;
  /** Above 0. */
  amount: Money;
  /** What it returned at each rate, if the event says so. */
  taxes?: Taxed[] | undefined;
  refundedAt: string;
  trace: Trace;
}

const keyset = createKeyset(
  'credit-notes',
  { number: { sql: 'number', text: 'number::text', type: 'bigint', accepts: /^\d{1,18}$/ } },
  'number',
);

const object = (table: string) => `json_build_object('number', ${table}.number, 'orderId', ${table}.order_id,
  'customerId', ${table}.customer_id, 'refundId', ${table}.refund_id, 'invoiceNumber', ${table}.invoice_number,
  'amount', json_build_object('amount', trim_scale(${table}.amount), 'currency', ${table}.currency),
  'taxes', ${table}.taxes, 'refundedAt', ${isoTime(`${table}.refunded_at`, 'MS')},
  'createdAt', ${isoTime(`${table}.created_at`, 'MS')})`;

/** SQL for a JSON array of the credit notes of an order. @param orderId a column */
export const creditNotesAsJson = (orderId: string): string =>
  `(select coalesce(json_agg(${object('note')} order by note.number), '[]') from credit_notes note where note.order_id = ${orderId})`;

const asJson = raw(`json_strip_nulls(${object('credit_notes')})::text`);

const selection = { select: sql`${asJson} as json`, from: sql`credit_notes` };
const ascending = keyset([{ field: 'number', direction: 'asc' }]);

export type CreditNoteRepository = ReturnType<typeof createCreditNoteRepository>;

export const createCreditNoteRepository = ({ run, lists }: Database<PrismaClient>) => ({
  list(query: CreditNoteQuery) {
    const where: Sql[] = [];
    if (query.orderId !== undefined) where.push(sql`order_id = ${query.orderId}::uuid`);
    if (query.number !== undefined) where.push(sql`number = ${query.number}::bigint`);
    return readCountedPage<{ json: string }>(lists.run, { ...selection, where }, keyset(query.sort), query);
  },
  /**
   * A page of the credit notes of an order, the oldest first.
   * @param customerId the customer that it must belong to; null: any
   * @param reader the account that asks
   */
  pageOf: (orderId: string, customerId: string | null, reader: string, page: PageQuery) =>
    lists.inTurn(reader, () =>
      readPage<{ json: string }>(
        lists.run,
        {
          ...selection,
          where: [sql`order_id = ${orderId}::uuid`, sql`customer_id = coalesce(${customerId}::uuid, customer_id)`],
        },
        ascending,
        page,
      ),
    ),
  /** A credit note of an order. @param customerId the customer that it must belong to; null: any */
  async find(
    orderId: string,
    number: number,
    customerId: string | null,
  ): Promise<z.input<typeof creditNoteOut> | undefined> {
    const [row] = await run<{ json: string }>(sql`
      select ${asJson} as json from credit_notes
      where order_id = ${orderId}::uuid and number = ${number}::bigint
        and customer_id = coalesce(${customerId}::uuid, customer_id)`);
    return row && (parseJson(row.json) as z.input<typeof creditNoteOut>); // made above
  },
});

/** An invoice and what its credit notes have returned of it. */
interface Credited {
  number: number;
  amount: Money;
  taxes: Taxed[] | undefined;
  refundIds: string[];
  returned: Decimal;
  returnedTaxes: Taxed[];
}

/**
 * Numbers are consecutive without gaps, and the notes of an invoice never exceed it, so a transaction that writes credit notes waits
 * for the previous one.
 */
export const lockCreditNotes = ({ send }: Transaction): void =>
  send(sql`select from credit_note_counter where id = 1 for update`);

/**
 * Writes the credit notes that these refunds lack, after `lockCreditNotes`.
 * @param refunds of different orders
 * @throws PoisonError if a refund has no invoice yet, or is in another currency. Its event becomes a dead letter, which can be redriven
 *   once the invoice is there.
 */
export async function insertCreditNotes(tx: Transaction, refunds: Refund[], now: Date): Promise<void> {
  const [counter] = await tx.run<{ lastNumber: string }>(sql`
    select last_number::text as "lastNumber" from credit_note_counter where id = 1`);
  let last = Number(found(counter, 'counter of credit notes').lastNumber);
  const invoices = await readCredited(
    tx,
    refunds.map(({ orderId }) => orderId),
  );
  const notes = refunds.flatMap(({ orderId, customerId, refundId, amount, taxes, refundedAt, trace }) => {
    const invoice = invoices.get(orderId);
    if (invoice === undefined) throw new PoisonError(`There is no invoice for order ${orderId} yet.`);
    if (invoice.refundIds.includes(refundId)) return [];
    const credited = creditOf(amount, invoice);
    if (credited.amount.isZero()) return [];
    last += 1;
    const isWhole = credited.amount.equals(amount.amount);
    const own =
      invoice.taxes && creditNoteTaxes(credited, invoice.taxes, invoice.returnedTaxes, isWhole ? taxes : undefined);
    return { number: last, orderId, customerId, refundId, refundedAt, trace, amount: credited, taxes: own, invoice };
  });
  if (notes.length === 0) return;
  const rows = notes.map(({ amount, taxes, invoice, ...note }) => ({
    ...note,
    invoiceNumber: invoice.number,
    amount: amount.amount.toFixed(),
    currency: amount.currency,
    taxes: taxes && stringifyJson(taxes),
  }));
  tx.send(sql`
    with inserted as (
      insert into credit_notes
        (number, refund_id, order_id, customer_id, invoice_number, amount, currency, taxes, refunded_at)
      select number, "refundId", "orderId", "customerId", "invoiceNumber", amount, currency, taxes, "refundedAt"
      from ${rowsAs('row', rows, {
        number: 'bigint',
        refundId: 'uuid',
        orderId: 'uuid',
        customerId: 'uuid',
        invoiceNumber: 'bigint',
        amount: 'numeric',
        currency: 'text',
        taxes: 'jsonb',
        refundedAt: 'timestamptz',
      })}
    )
    update credit_note_counter set last_number = ${last}::bigint where id = 1`);
  const timestamp = now.toISOString();
  const events = notes.map(({ number, orderId, customerId, amount, invoice, trace }) =>
    runInTrace(trace, () =>
      newEvent('CreditNoteIssued', {
        orderId,
        customerId,
        timestamp,
        creditNoteNumber: number,
        invoiceNumber: invoice.number,
        amount,
      }),
    ),
  );
  appendToOutbox(tx, ...events);
}

/**
 * What a refund has to be credited. It exceeds what the invoice has left only if the money of an earlier refund came back from the
 * customer's bank after its credit note (decisions/0043): that note stands for this refund, too.
 * @throws PoisonError if the refund is in another currency than the invoice
 */
function creditOf(refund: Money, { amount: { amount, currency }, returned }: Credited): Money {
  if (refund.currency !== currency)
    throw new PoisonError(`The refund is in ${refund.currency}, but the invoice is in ${currency}.`);
  return { amount: Decimal.min(refund.amount, amount.minus(returned)), currency };
}

interface CreditedRow {
  orderId: string;
  /** JSON */
  invoice: string;
  /** JSON */
  notes: string;
}

interface Document {
  number: number;
  refundId: string;
  amount: { amount: Decimal.Value; currency: string };
  taxes?: { permille: number; gross: Decimal.Value }[] | null;
}

async function readCredited({ run }: Transaction, orderIds: string[]): Promise<Map<string, Credited>> {
  const rows = await run<CreditedRow>(sql`
    select order_id as "orderId",
           json_build_object('number', number, 'taxes', taxes,
             'amount', json_build_object('amount', amount, 'currency', currency))::text as invoice,
           ${raw(creditNotesAsJson('invoices.order_id'))}::text as notes
    from invoices where order_id = any(${orderIds}::uuid[])`);
  return new Map(
    rows.map(({ orderId, ...json }) => {
      const invoice = parseJson(json.invoice) as Document; // made above, as the notes are
      const notes = parseJson(json.notes) as Document[];
      const { amount, currency } = invoice.amount;
      return [
        orderId,
        {
          number: invoice.number,
          amount: { amount: new Decimal(amount), currency },
          taxes: invoice.taxes?.map(toTaxed),
          refundIds: notes.map(({ refundId }) => refundId),
          returned: notes.reduce((sum, note) => sum.plus(note.amount.amount), new Decimal(0)),
          returnedTaxes: notes.flatMap(({ taxes }) => taxes ?? []).map(toTaxed),
        },
      ];
    }),
  );
}

const toTaxed = ({ permille, gross }: { permille: number; gross: Decimal.Value }): Taxed => ({
  permille,
  gross: new Decimal(gross),
});
