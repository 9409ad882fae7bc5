import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { inTransaction } from '@store/shared/database/transaction';
import { entityTag, mustBeVersion, mustMatch } from '@store/shared/http/precondition';
import { found } from '@store/shared/values/errors';
import { type CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';
import type { ProductChange, ProductIn, ProductQuery } from './schemas.ts';

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

/** The columns of a product, as a reply has them. */
const columns = sql.raw('id, name, trim_scale(price) as price, unit, version, description, images, category');
/** Those that its writer sets. */
const fields = sql.raw('name, price, unit, description, images, category');

/** Selects products as JSON without white space: alone, in a list and just written they are the same text. */
const selectJson = sql`select row_to_json(product)::text as json`;

/** Runs a statement that returns the columns of a product, or nothing. */
async function jsonOf(tx: Transaction<DB>, statement: RawBuilder<unknown>, id: string): Promise<string> {
  const { rows } = await sql<{ json: string }>`with product as (${statement}) ${selectJson} from product`.execute(tx);
  return found(rows[0], `product ${id}`).json;
}

const valuesOf = ({ name, price, unit, description, images, category }: ProductIn) =>
  sql`${name}, ${price.toFixed()}, ${unit}, ${description ?? null}, ${JSON.stringify(images ?? [])}, ${category ?? null}`;

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

export function createProductRepository({ kysely, run, lists, checks, transactionOf }: Database<DB>) {
  const selectVersion = sql<{ version: string }>`select ${versionText} as version`.compile(kysely);
  /**
   * Writes a product in the state that the caller has seen, which without either is any, with its entry in the audit trail.
   * @throws DomainError notFound, preconditionFailed, conflict
   */
  function write<After extends string | undefined>(
    actor: string,
    id: string,
    { ifMatch, version }: { ifMatch: string | undefined; version?: number | null | undefined },
    change: (tx: Transaction<DB>) => Promise<After>,
  ): Promise<After> {
    return transactionOf(actor, async (tx) => {
      const before = await jsonOf(tx, sql`select ${columns} from products where id = ${id}::uuid for update`, id);
      mustMatch(ifMatch, entityTag(before));
      mustBeVersion(version, JSON.parse(before).version);
      const after = await change(tx);
      await recordChange(tx, { actor, kind: 'product', subject: id, before, after });
      return after;
    });
  }

  const currentVersion = async (): Promise<string> => only(await checks.run(selectVersion)).version;
  /** Tells whether a replica has read the catalogue as it is now (contract 4.4). */
  const isCurrent = async (rows: Versioned[]) => only(rows).version === (await currentVersion());

  /** Products by id are no search: placing an order needs them. Text and category decide which index is the better one. */
  async function runFor<Row extends Versioned>(
    { q, category, id }: ProductQuery,
    statement: CompiledQuery<Row>,
    caller: string | undefined,
  ) {
    const isPrepared = q === undefined && (category === undefined || id !== undefined);
    if (isPrepared && id !== undefined) return run(statement);
    return lists.inTurn(caller, async () => {
      const rows = await lists.readReplica(statement, isCurrent, isPrepared);
      return rows ?? (isPrepared ? lists.run : lists.runOnce)(statement);
    });
  }

  return {
    /**
     * One statement, whose rows PostgreSQL joins to JSON: the busiest read of the store, exact to the digit.
     * @param caller the client's address
     */
    async list(query: ProductQuery, caller?: string): Promise<ProductPage> {
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
             ) as page, lateral (${selectJson} from (select ${columns}) as product) as item`;
      const { json, version, last } = only(await runFor(query, statement.compile(kysely), caller));
      return { json, version, next: last === null ? undefined : order.cursorOf(JSON.parse(last)) };
    },
    /** All categories in their order. It leaps from one to the next by the index, whatever number of products each has. */
    async categories(caller?: string): Promise<Versioned> {
      const next = (after: string) => sql.raw(`(select min(category) from products ${after})`);
      const statement = sql<Versioned>`
        with recursive found(category) as (
          select ${next('')} union all
          select ${next('where category > found.category')} from found where found.category is not null
        ), listed as (select category from found where category is not null limit ${maxCategories}::int)
        select coalesce(json_agg(category), '[]')::text as json, ${versionText} as version from listed`;
      return only(await lists.inTurn(caller, () => lists.run(statement.compile(kysely))));
    },
    async find(id: string): Promise<Versioned | undefined> {
      const { rows } = await sql<Versioned>`
        ${selectJson}, ${versionText} as version
        from (select ${columns} from products where id = ${id}::uuid) as product`.execute(kysely);
      return rows[0];
    },
    currentVersion,
    /** Returns the product as JSON, as the other writes do. */
    insert: (actor: string, id: string, product: ProductIn): Promise<string> =>
      inTransaction(kysely, async (tx) => {
        const insertion = sql`insert into products (id, ${fields}) values (${id}, ${valuesOf(product)})`;
        const after = await jsonOf(tx, sql`${insertion} returning ${columns}`, id);
        await recordChange(tx, { actor, kind: 'product', subject: id, after });
        return after;
      }),
    update(actor: string, id: string, product: ProductChange, ifMatch?: string): Promise<string> {
      const { version } = product;
      const change = sql`update products set (${fields}) = (${valuesOf(product)}) where id = ${id} returning ${columns}`;
      return write(actor, id, { ifMatch, version }, (tx) => jsonOf(tx, change, id));
    },
    remove: (actor: string, id: string, ifMatch?: string) =>
      write(actor, id, { ifMatch }, async (tx) => {
        await tx.deleteFrom('products').where('id', '=', id).execute();
        return undefined;
      }),
  };
}
