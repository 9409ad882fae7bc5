import { behind, cursorTime, cursorUuid, decodeCursor, type KeyColumn, orderBy } from '@store/shared/http/pagination';
import type { PrismaClient } from './generated/client.ts';
import type { Page, PageQuery, Pages } from './pages.ts';

/** What the three collections have in common: one sort field, some filters, rows that the database writes as JSON. */
interface Collection {
  table: string;
  json: string;
  /** The sort field's columns, the last of them unique. */
  sort: Record<string, (Omit<KeyColumn, 'direction'> & { text: string; fits: Pick<RegExp, 'test'> })[]>;
  filters: Record<string, string>;
}

const time = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const exactTime = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const amounts = (column: string) => `(
  select coalesce(json_agg(json_build_object('amount', trim_scale(${column}), 'currency', currency) order by currency), '[]')
  from daily_amounts where daily_amounts.day = daily_figures.day and ${column} <> 0)`;
const cursorDay = { test: (value: string) => cursorTime.test(`${value}T00:00:00.000Z`) };

const collections = {
  notifications: {
    table: 'notifications',
    json: `jsonb_strip_nulls(jsonb_build_object('id', id, 'orderId', order_id, 'customerId', customer_id, 'kind', kind,
      'subject', subject, 'text', text, 'createdAt', ${time('created_at')}, 'sentAt', ${time('sent_at')}))`,
    sort: {
      createdAt: [
        { sql: 'created_at', text: exactTime('created_at'), type: 'timestamptz', fits: cursorTime },
        { sql: 'id', text: 'id::text', type: 'uuid', fits: cursorUuid },
      ],
    },
    filters: { orderId: 'order_id', customerId: 'customer_id' },
  },
  figures: {
    table: 'daily_figures',
    json: `json_build_object('day', day, 'orders', orders, 'paid', paid, 'cancelled', cancelled, 'refunded', refunded,
      'revenue', ${amounts('revenue')}, 'refunds', ${amounts('refunds')})`,
    sort: { day: [{ sql: 'day', text: 'day::text', type: 'date', fits: cursorDay }] },
    filters: {},
  },
  invoices: {
    table: 'invoices',
    json: `json_build_object('number', number, 'orderId', order_id, 'customerId', customer_id, 'paymentId', payment_id,
      'amount', json_build_object('amount', trim_scale(amount), 'currency', currency),
      'paidAt', ${time('paid_at')}, 'createdAt', ${time('created_at')})`,
    sort: { number: [{ sql: 'number', text: 'number::text', type: 'bigint', fits: /^\d{1,18}$/ }] },
    filters: { orderId: 'order_id' },
  },
} satisfies Record<string, Collection>;

export function createPages(prisma: PrismaClient): Pages {
  const pageOf = (collection: Collection) => (query: PageQuery) => readPage(prisma, collection, query);
  return {
    notifications: pageOf(collections.notifications),
    figures: pageOf(collections.figures),
    invoices: pageOf(collections.invoices),
  };
}

async function readPage(prisma: PrismaClient, collection: Collection, query: PageQuery): Promise<Page> {
  const { table, json } = collection;
  const { size, page: number, after, sort } = query;
  const [{ field, direction } = { field: '', direction: 'desc' as const }] = sort;
  const columns = (collection.sort[field] ?? []).map((column) => ({ ...column, direction }));
  const order = `${table};${field},${direction}`;

  const filters: string[] = [];
  const filterValues: unknown[] = [];
  for (const [name, column] of Object.entries(collection.filters)) {
    if (query[name] !== undefined) filters.push(`${column} = $${filterValues.push(query[name])}::uuid`);
  }
  const conditions = [...filters];
  const values = [...filterValues];
  if (after !== undefined) {
    const cursor = decodeCursor(
      after,
      order,
      columns.map(({ fits }) => fits),
    );
    conditions.push(behind(columns, values.length + 1));
    values.push(...cursor);
  }
  // One row more than asked for tells whether there is a next page.
  const limit = `limit $${values.push(size)}::int + 1`;
  const offset = after === undefined ? `offset $${values.push(number)}::bigint * $${values.push(size)}::int` : '';
  const where = (all: string[]) => (all.length === 0 ? '' : `where ${all.join(' and ')}`);

  const [rows, [count]] = await Promise.all([
    prisma.$queryRawUnsafe<{ json: string; key: string[] }[]>(
      `select ${json}::text as json, json_build_array(${columns.map(({ text }) => text).join(', ')}) as key
       from ${table} ${where(conditions)} order by ${orderBy(columns)} ${limit} ${offset}`,
      ...values,
    ),
    prisma.$queryRawUnsafe<{ count: number }[]>(
      `select count(*)::int as count from ${table} ${where(filters)}`,
      ...filterValues,
    ),
  ]);
  const totalElements = count?.count ?? 0;
  const page = { size, number, totalElements, totalPages: Math.ceil(totalElements / size) };
  const content = rows.slice(0, size).map((row) => row.json);
  const last = rows.length > size ? rows[size - 1] : undefined;
  return {
    json: `{"content":[${content.join(',')}],"page":${JSON.stringify(page)}}`,
    next: last && { order, values: last.key },
  };
}
