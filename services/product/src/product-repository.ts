import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { entityTag, mustBeVersion, mustMatch } from '@store/shared/http/precondition';
import type { Decimal } from '@store/shared/values/money';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Prisma, PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import type { ProductChange, ProductIn, ProductOut, ProductQuery } from './schemas.ts';

type Row = Omit<ProductOut, 'price'> & { price: Decimal };

/** Types the JSON of the images, which the schema of a request has checked. */
const asRow = (row: Omit<Row, 'images'> & { images: unknown }): Row => row as Row;

/** Data that has been read, as JSON, and the version that the catalogue had then. */
export interface Versioned {
  json: string;
  version: string;
}

export interface ProductPage extends Versioned {
  /** Cursor of the next page. */
  next: string | undefined;
}

export type ProductRepository = ReturnType<typeof createProductRepository>;

/** The columns of a product, and how PostgreSQL reads each. */
const columns = {
  id: 'id',
  name: 'name',
  price: 'trim_scale(price) as price',
  unit: 'unit',
  version: 'version',
  description: 'description',
  images: 'images',
  category: 'category',
} satisfies Record<keyof Row, string>;
const select = Object.fromEntries(Object.keys(columns).map((name) => [name, true])) as Record<
  keyof typeof columns,
  true
>;
const productColumns = Object.values(columns).join(', ');
/** Selects products as JSON without white space, as one that has just been written is answered. */
const selectJson = (from: string) =>
  `select row_to_json(product)::text as json from (select ${productColumns} ${from}) as product`;
const lockProduct = selectJson('from products where id = $1::uuid for update');

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

/** As the trigram index has it: a text of three letters or digits has a trigram, and so has the beginning of a word. */
function nameHas(q: string): RawBuilder<boolean> {
  const text = q.replaceAll(/[\\%_]/g, '\\$&');
  if (/[\p{Alphabetic}\p{N}]{3}/u.test(q)) return sql`name ilike ${`%${text}%`}`;
  return sql`(name ilike ${`${text}%`} or name ilike ${`% ${text}%`})`;
}

/** Version of the catalogue: another one after each transaction that has written products (see the migration). */
const versionText = sql.raw('array(select version from catalogue_versions order by part)::text');

/** More than a customer would look through. */
const maxCategories = 1_000;

function only<T>([row]: T[]): T {
  if (row === undefined) throw new Error('A statement that returns one row has returned none');
  return row;
}

export function createProductRepository(prisma: PrismaClient, { kysely, run, lists, checks }: Database<DB>) {
  const selectVersion = sql<{ version: string }>`select ${versionText} as version`.compile(kysely);
  const toRow = ({ price, description, images, category, ...product }: ProductIn) => ({
    ...product,
    price: price.toFixed(),
    description: description ?? null,
    images: images ?? [],
    category: category ?? null,
  });

  /** Writes if the product is in the state that the caller has seen, and there is one; without either it is any state. */
  async function writeIf<T>(
    id: string,
    { ifMatch, version }: { ifMatch: string | undefined; version?: number | null | undefined },
    write: (client: Prisma.TransactionClient) => Promise<T>,
  ) {
    if (ifMatch === undefined && (version ?? null) === null) return write(prisma);
    return prisma.$transaction(async (tx) => {
      const [row] = await tx.$queryRawUnsafe<{ json: string }[]>(lockProduct, id);
      if (row !== undefined) {
        mustMatch(ifMatch, entityTag(row.json));
        mustBeVersion(version, JSON.parse(row.json).version);
      }
      return write(tx);
    });
  }

  const currentVersion = async (): Promise<string> => only(await checks.run(selectVersion)).version;
  /** Tells whether a replica has read the catalogue as it is now (contract 4.4). */
  const isCurrent = async (rows: Versioned[]) => only(rows).version === (await currentVersion());

  /** Products by id are no search: placing an order needs them. Text and category decide which index is the better one. */
  async function runFor<Row extends Versioned>({ q, category, id }: ProductQuery, statement: CompiledQuery<Row>) {
    const isPrepared = q === undefined && (category === undefined || id !== undefined);
    if (isPrepared && id !== undefined) return run(statement);
    const rows = await lists.readReplica(statement, isCurrent, isPrepared);
    return rows ?? (isPrepared ? lists.run : lists.runOnce)(statement);
  }

  return {
    /** One statement, whose rows PostgreSQL joins to JSON: the busiest read of the store, exact to the digit. */
    async list(query: ProductQuery): Promise<ProductPage> {
      const { size, page, after, q, category, id, sort } = query;
      const order = keyset(sort);
      const conditions: RawBuilder<unknown>[] = [];
      if (q !== undefined) conditions.push(nameHas(q));
      if (category !== undefined) conditions.push(sql`category = ${category}`);
      if (id !== undefined) conditions.push(sql`id = any(${id}::uuid[])`);
      if (after !== undefined) conditions.push(order.after(after));
      const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
      const offset = after === undefined && page > 0 ? sql`offset ${page}::bigint * ${size}::int` : sql``;
      // One row more than requested tells whether there is a next page.
      const statement = sql<Versioned & { last: string | null }>`
        select ${versionText} as version,
               '[' || coalesce(string_agg(json, ',' order by n) filter (where n <= ${size}::int), '') || ']' as json,
               case when count(*) > ${size}::int
                 then max(${order.position}::text) filter (where n = ${size}::int) end as last
        from (select *, row_number() over (order by ${order.orderBy}) as n
              from (select * from products ${where} order by ${order.orderBy} limit ${size}::int + 1 ${offset}) as rows
             ) as page, lateral (${sql.raw(selectJson(''))}) as item`;
      const { json, version, last } = only(await runFor(query, statement.compile(kysely)));
      return { json, version, next: last === null ? undefined : order.cursorOf(JSON.parse(last)) };
    },
    /** All categories in their order. It leaps from one to the next by the index, whatever number of products each has. */
    async categories(): Promise<Versioned> {
      const next = (after: string) => sql.raw(`(select min(category) from products ${after})`);
      const statement = sql<Versioned>`
        with recursive found(category) as (
          select ${next('')} union all
          select ${next('where category > found.category')} from found where found.category is not null
        ), listed as (select category from found where category is not null limit ${maxCategories}::int)
        select coalesce(json_agg(category), '[]')::text as json, ${versionText} as version from listed`;
      return only(await lists.run(statement.compile(kysely)));
    },
    async find(id: string): Promise<Versioned | undefined> {
      const { rows } = await sql<Versioned>`
        select row_to_json(product)::text as json, ${versionText} as version
        from (select ${sql.raw(productColumns)} from products where id = ${id}::uuid) as product`.execute(kysely);
      return rows[0];
    },
    currentVersion,
    insert: async ({ id, ...product }: { id: string } & ProductIn): Promise<Row> =>
      asRow(await prisma.product.create({ data: { id, ...toRow(product) }, select })),
    async update(
      { id, version, ...product }: { id: string } & ProductChange,
      ifMatch?: string,
    ): Promise<Row | undefined> {
      const change = { where: { id }, data: toRow(product), select };
      const [row] = await writeIf(id, { ifMatch, version }, (client) => client.product.updateManyAndReturn(change));
      return row && asRow(row);
    },
    async remove(id: string, ifMatch?: string): Promise<boolean> {
      const { count } = await writeIf(id, { ifMatch }, (client) => client.product.deleteMany({ where: { id } }));
      return count > 0;
    },
  };
}
