import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import type { Decimal } from '@store/shared/values/money';
import { type Kysely, sql } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import type { ProductIn, ProductOut, ProductQuery } from './schemas.ts';

type Row = Omit<ProductOut, 'price'> & { price: Decimal };

export interface ProductPage {
  /** An array of ProductOut, as JSON. */
  json: string;
  /** Cursor of the next page. */
  next: string | undefined;
}

export type ProductRepository = ReturnType<typeof createProductRepository>;

/** The columns of a product, and how a list writes each as JSON. */
const columns = { id: 'id', name: 'name', price: 'trim_scale(price)', unit: 'unit' } satisfies Record<
  keyof Row,
  string
>;

const select = Object.fromEntries(Object.keys(columns).map((name) => [name, true])) as Record<
  keyof typeof columns,
  true
>;
const asJson = sql.raw(
  `json_build_object(${Object.entries(columns)
    .map(([name, expression]) => `'${name}', ${expression}`)
    .join(', ')})`,
);

const keyset = createKeyset(
  'products',
  {
    name: { sql: 'name', text: 'name', type: 'text', accepts: /^[^\0]{1,400}$/ },
    price: { sql: 'price', text: 'price::text', type: 'numeric', accepts: /^\d{1,12}(\.\d{1,4})?$/ },
    createdAt: timeColumn('created_at'),
    id: uuidColumn('id'),
  },
  'id',
);

export function createProductRepository(prisma: PrismaClient, kysely: Kysely<DB>) {
  const toRow = ({ price, ...product }: ProductIn) => ({ ...product, price: price.toFixed() });

  return {
    /** One statement, whose rows PostgreSQL joins to JSON: the busiest read of the store, exact to the digit. */
    async list({ size, page, after, q, id, sort }: ProductQuery): Promise<ProductPage> {
      const order = keyset(sort);
      let rows = kysely.selectFrom('products').selectAll().orderBy(order.orderBy).limit(sql<number>`${size}::int + 1`);
      if (q !== undefined) rows = rows.where(sql<boolean>`position(lower(${q}) in lower(name)) > 0`);
      if (id !== undefined) rows = rows.where('id', '=', sql<string>`any(${id}::uuid[])`);
      if (after !== undefined) rows = rows.where(order.after(after));
      else if (page > 0) rows = rows.offset(sql<number>`${page}::bigint * ${size}::int`);
      // One row more than requested tells whether there is a next page.
      const { json, last } = await kysely
        .selectFrom(
          kysely
            .selectFrom(rows.as('rows'))
            .selectAll()
            .select(sql<number>`row_number() over (order by ${order.orderBy})`.as('n'))
            .as('page'),
        )
        .select([
          sql<string>`coalesce(json_agg(${asJson} order by n) filter (where n <= ${size}::int), '[]')::text`.as('json'),
          sql<string | null>`case when count(*) > ${size}::int
            then max(${order.position}::text) filter (where n = ${size}::int) end`.as('last'),
        ])
        .executeTakeFirstOrThrow();
      return { json, next: last === null ? undefined : order.cursorOf(JSON.parse(last)) };
    },
    async find(id: string): Promise<Row | undefined> {
      return (await prisma.product.findUnique({ where: { id }, select })) ?? undefined;
    },
    insert: ({ id, ...product }: { id: string } & ProductIn): Promise<Row> =>
      prisma.product.create({ data: { id, ...toRow(product) }, select }),
    async update({ id, ...product }: { id: string } & ProductIn): Promise<Row | undefined> {
      const rows = await prisma.product.updateManyAndReturn({ where: { id }, data: toRow(product), select });
      return rows[0];
    },
    async remove(id: string): Promise<boolean> {
      return (await prisma.product.deleteMany({ where: { id } })).count > 0;
    },
  };
}
