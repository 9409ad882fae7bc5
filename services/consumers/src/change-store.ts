import type { Query, Transact } from '@store/shared/database/query';
import type { HandlerTransaction } from '@store/shared/messaging/consumer/consumer';
import { Decimal, type Money } from '@store/shared/values/money';
import type { Changes, Counted, FigureChange, Invoice, Notification } from './changes.ts';

export type ChangesTransaction = Changes & HandlerTransaction;

interface StoreOptions {
  /** Whether there is a mail server: then stored messages are due at once. */
  sendsMail: boolean;
}

/**
 * Transactions in which handlers only collect; what they have collected is written at the end, each table by one
 * statement. Rows that everybody writes to (a day, the invoice counter) are so locked for a moment only.
 */
export function createTransactions(transact: Transact, { sendsMail }: StoreOptions) {
  return <T>(work: (tx: ChangesTransaction) => Promise<T>): Promise<T> =>
    transact(async (query) => {
      const changes: Changes = { notifications: [], figures: [], invoices: [] };
      const result = await work({ ...changes, query });
      if (changes.notifications.length > 0) await insertNotifications(query, changes.notifications, sendsMail);
      if (changes.figures.length > 0) await addFigures(query, changes.figures);
      if (changes.invoices.length > 0) await insertInvoices(query, changes.invoices);
      return result;
    });
}

async function insertNotifications(query: Query, rows: Notification[], sendsMail: boolean): Promise<void> {
  await query(
    `insert into notifications (id, order_id, customer_id, kind, subject, text, created_at, send_at)
     select id, order_id, customer_id, kind, subject, text, clock_timestamp(), case when $7::boolean then now() end
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])
       as row(id, order_id, customer_id, kind, subject, text)`,
    ...(['id', 'orderId', 'customerId', 'kind', 'subject', 'text'] as const).map((name) =>
      rows.map((row) => row[name]),
    ),
    sendsMail,
  );
}

/** In the order of the days, always: who writes to several waits for others and never they for him. */
async function addFigures(query: Query, changes: FigureChange[]): Promise<void> {
  const days = [...new Set(changes.map(({ day }) => day))].sort();
  const count = (counted: Counted) =>
    days.map((day) => changes.filter((change) => change.day === day && change.counted === counted).length);
  await query(
    `insert into daily_figures as old (day, orders, paid, cancelled, refunded)
     select * from unnest($1::date[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) as new(day) order by day
     on conflict (day) do update set
       orders = old.orders + excluded.orders, paid = old.paid + excluded.paid,
       cancelled = old.cancelled + excluded.cancelled, refunded = old.refunded + excluded.refunded`,
    days,
    ...(['orders', 'paid', 'cancelled', 'refunded'] as const).map(count),
  );
  const sums = [...sumsOf(changes)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  if (sums.length === 0) return;
  await query(
    `insert into daily_amounts as old (day, currency, revenue, refunds)
     select * from unnest($1::date[], $2::text[], $3::numeric[], $4::numeric[]) as new(day, currency)
     order by day, currency
     on conflict (day, currency) do update set
       revenue = old.revenue + excluded.revenue, refunds = old.refunds + excluded.refunds`,
    sums.map(({ day }) => day),
    sums.map(({ currency }) => currency),
    sums.map(({ revenue }) => revenue.toFixed()),
    sums.map(({ refunds }) => refunds.toFixed()),
  );
}

function sumsOf(changes: FigureChange[]) {
  const sums = new Map<string, { day: string; currency: string; revenue: Decimal; refunds: Decimal }>();
  const zero = new Decimal(0);
  function add(day: string, name: 'revenue' | 'refunds', { amount, currency }: Money) {
    const key = `${day} ${currency}`;
    const sum = sums.get(key) ?? { day, currency, revenue: zero, refunds: zero };
    sums.set(key, { ...sum, [name]: sum[name].plus(amount) });
  }
  for (const { day, revenue, refund } of changes) {
    if (revenue !== undefined) add(day, 'revenue', revenue);
    if (refund !== undefined) add(day, 'refunds', refund);
  }
  return sums;
}

/** Numbers follow one another without a gap: whoever writes invoices waits for the one before to be committed. */
async function insertInvoices(query: Query, invoices: Invoice[]): Promise<void> {
  // A statement of its own: the next one sees what was committed while this one waited.
  await query('select from invoice_counter where id = 1 for update');
  await query(
    `with wanted as (
       select distinct on (order_id) *
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::numeric[], $5::text[], $6::timestamptz[]) with ordinality
         as row(order_id, customer_id, payment_id, amount, currency, paid_at, position)
       where not exists (select from invoices where invoices.order_id = row.order_id)
       order by order_id, position
     ), inserted as (
       insert into invoices (number, order_id, customer_id, payment_id, amount, currency, paid_at)
       select last_number + row_number() over (order by position),
              order_id, customer_id, payment_id, amount, currency, paid_at
       from wanted, invoice_counter where id = 1
     )
     update invoice_counter set last_number = last_number + (select count(*) from wanted) where id = 1`,
    ...(['orderId', 'customerId', 'paymentId'] as const).map((name) => invoices.map((invoice) => invoice[name])),
    invoices.map(({ amount }) => amount.amount.toFixed()),
    invoices.map(({ amount }) => amount.currency),
    invoices.map(({ paidAt }) => paidAt),
  );
}
