import type { Query } from '@store/shared/database/query';
import {
  behind,
  type Cursor,
  cursorTime,
  cursorUuid,
  decodeCursor,
  type KeyColumn,
  orderBy,
} from '@store/shared/http/pagination';
import type { Decimal } from '@store/shared/values/money';
import type { PrismaClient } from './generated/client.ts';
import type { ProductIn, ProductOut, ProductQuery } from './schemas.ts';

export interface ProductPage {
  /** An array of ProductOut, as JSON. */
  json: string;
  next: Cursor | undefined;
}

export type ProductRepository = ReturnType<typeof createProductRepository>;

/** Of each sort field: the column, how a cursor writes its value, and what such a value looks like. */
const columnOf = {
  name: { sql: 'name', text: 'name', type: 'text', fits: /^[^\0]{1,400}$/ },
  price: { sql: 'price', text: 'price::text', type: 'numeric', fits: /^\d{1,12}(\.\d{1,4})?$/ },
  createdAt: {
    sql: 'created_at',
    text: `to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    type: 'timestamptz',
    fits: cursorTime,
  },
  id: { sql: 'id', text: 'id::text', type: 'uuid', fits: cursorUuid },
} as const;

type Row = Omit<ProductOut, 'price'> & { price: Decimal };

export function createProductRepository(prisma: PrismaClient, query: Query) {
  const select = { id: true, name: true, price: true, unit: true } as const;
  const toRow = ({ id, price, ...product }: { id: string } & ProductIn) => ({ ...product, price: price.toFixed() });

  return {
    /** One statement, its rows joined to JSON by the database: the busiest read of the store, exact to the digit. */
    async list(asked: ProductQuery): Promise<ProductPage> {
      const sort = [...asked.sort, { field: 'id' as const, direction: asked.sort[0]?.direction ?? 'asc' }];
      const columns = sort.map(({ field, direction }) => ({ ...columnOf[field], direction }));
      const order = sort.map(({ field, direction }) => `${field},${direction}`).join(';');
      const { sql, values } = listStatement(asked, columns, order);
      const [row] = await query<{ json: string; last: string | null }>(sql, ...values);
      const last: string[] | undefined = row?.last == null ? undefined : JSON.parse(row.last);
      return { json: row?.json ?? '[]', next: last && { order, values: last } };
    },
    async find(id: string): Promise<Row | undefined> {
      return (await prisma.product.findUnique({ where: { id }, select })) ?? undefined;
    },
    insert(product: { id: string } & ProductIn): Promise<Row> {
      return prisma.product.create({ data: { id: product.id, ...toRow(product) }, select });
    },
    async update(product: { id: string } & ProductIn): Promise<Row | undefined> {
      const rows = await prisma.product.updateManyAndReturn({
        where: { id: product.id },
        data: toRow(product),
        select,
      });
      return rows[0];
    },
    async remove(id: string): Promise<boolean> {
      return (await prisma.product.deleteMany({ where: { id } })).count > 0;
    },
  };
}

type ListColumn = KeyColumn & { text: string; fits: Pick<RegExp, 'test'> };

function listStatement({ size, page, after, q, id }: ProductQuery, columns: ListColumn[], order: string) {
  const values: unknown[] = [size];
  const conditions: string[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  if (q !== undefined) conditions.push(`position(lower(${parameter(q)}) in lower(name)) > 0`);
  if (id !== undefined) conditions.push(`id = any(${parameter(id)}::uuid[])`);
  if (after !== undefined) {
    const tests = columns.map(({ fits }) => fits);
    conditions.push(behind(columns, values.length + 1));
    values.push(...decodeCursor(after, order, tests));
  }
  const offset = after === undefined && page > 0 ? `offset ${parameter(page)}::bigint * $1::int` : '';
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const by = orderBy(columns);
  // One row more than asked for tells whether there is a next page.
  const sql = `
    select coalesce(json_agg(json_build_object('id', id, 'name', name, 'price', trim_scale(price), 'unit', unit) order by n)
                    filter (where n <= $1::int), '[]')::text as json,
           case when count(*) > $1::int
                then max(json_build_array(${columns.map(({ text }) => text).join(', ')})::text) filter (where n = $1::int)
           end as last
    from (select *, row_number() over (order by ${by}) as n
          from (select * from products ${where} order by ${by} limit $1::int + 1 ${offset}) as rows) as page`;
  return { sql, values };
}
