import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { isDuplicate } from '@store/shared/database/errors';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { allOf } from '@store/shared/database/read-page';
import { empty, likeLiteral, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { TransactionOf } from '@store/shared/database/transaction';
import { entityTag, mustBeVersion, mustMatch, mustNotMatch } from '@store/shared/http/precondition';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from './generated/client.ts';
import type { ProductChange, ProductIn, ProductQuery } from './schemas.ts';

/** Data as JSON, and the version of the catalogue when it was read. */
export interface Versioned {
  json: string;
  version: string;
}

interface PageRow extends Versioned {
  /** Position of the last product, as JSON. Null if no page follows. */
  last: string | null;
}

export interface ProductPage extends Versioned {
  /** Cursor of the next page; undefined if no page follows. */
  next: string | undefined;
}

/** The state that a writer has seen: entity tags from its headers. */
export interface Seen {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

export type ProductRepository = ReturnType<typeof createProductRepository>;

/** The columns of a product, as in a reply. */
export const columns = raw(
  'id, name, trim_scale(price) as price, unit, version, description, images, category, tax_permille as "taxPermille", sku',
);

/** Selects products as JSON without white space, so that a product is the same text alone, in a list and after a write. */
const selectJson = sql`select row_to_json(product)::text as json`;

const productOf = (id: string) => sql`select ${columns} from products where id = ${id}::uuid`;

/** Reads a product as JSON, in the transaction that writes it. @throws DomainError notFound */
async function read(tx: Statements, id: string, lock = empty): Promise<string> {
  const [row] = await tx.run<{ json: string }>(sql`
    with product as (${productOf(id)} ${lock}) ${selectJson} from product`);
  return found(row, `product ${id}`).json;
}

/** Locks the product with a sku until the end of the transaction. @returns it as JSON; undefined if there is none */
async function lockBySku(tx: Statements, sku: string): Promise<string | undefined> {
  const [row] = await tx.run<{ json: string }>(sql`
    with product as (select ${columns} from products where sku = ${sku} for update) ${selectJson} from product`);
  return row?.json;
}

/** The sku is the only unique value that a caller can choose. @throws DomainError conflict */
function skuTaken(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new DomainError('conflict', 'Another product has this sku.', { code: 'sku-taken', cause: error });
}

const versionOfNothing = (sku: string) =>
  new DomainError('conflict', `There is no product with the sku ${sku}, so it has no version.`, {
    code: 'stale-version',
  });

/** The columns that a writer sets, by their names in the model. */
export const valuesOf = ({ name, price, unit, description, images, category, taxPermille, sku }: ProductIn) => ({
  name,
  price: price.toFixed(),
  unit,
  description: description ?? null,
  images: images ?? [],
  category: category ?? null,
  taxPermille: taxPermille ?? null,
  sku: sku ?? null,
});

/** Creates a product, with an entry in the audit trail. @returns it as JSON */
async function create(tx: TransactionOf<PrismaClient>, actor: string, id: string, product: ProductIn): Promise<string> {
  await tx.product.create({ data: { id, ...valuesOf(product) }, select: { id: true } });
  const after = await read(tx, id);
  recordChange(tx, { actor, kind: 'product', subject: id, after });
  return after;
}

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

/** Matches names so that the trigram index can be used: three letters or digits make a trigram, and so does the start of a word. */
function nameContains(q: string): Sql {
  const text = likeLiteral(q);
  if (/[\p{Alphabetic}\p{N}]{3}/u.test(q)) return sql`name ilike ${`%${text}%`}`;
  return sql`name ilike ${`${text}%`} or name ilike ${`% ${text}%`}`;
}

/** Like `products_sku_prefix_idx`. */
const skuBegins = (q: string): Sql => sql`lower(sku) like lower(${`${likeLiteral(q)}%`})`;

/** Version of the catalogue. It changes with each transaction that writes products (see the migration). */
const versionText = raw('array(select version from catalogue_versions order by part)::text');

/** More than a customer would read. */
const maxCategories = 1_000;

function singleRow<T>([row]: T[]): T {
  if (row === undefined) throw new Error('A statement that must return one row returned none');
  return row;
}

export function createProductRepository(database: Database<PrismaClient>) {
  const { run, lists, checks, inTransaction, transactionOf } = database;
  /**
   * Writes a product, with an entry in the audit trail, if it is still in the state that the caller has seen. Without `ifMatch` and
   * `version`, any state will do.
   * @throws DomainError notFound, preconditionFailed for `ifMatch`, conflict for `version`
   */
  function write<After extends string | undefined>(
    actor: string,
    id: string,
    { ifMatch, version }: { ifMatch: string | undefined; version?: number | null | undefined },
    change: (tx: TransactionOf<PrismaClient>) => Promise<After>,
  ): Promise<After> {
    return transactionOf(actor, async (tx) => {
      const before = await read(tx, id, sql`for update`);
      mustMatch(ifMatch, entityTag(before));
      mustBeVersion(version, JSON.parse(before).version);
      const after = await change(tx);
      recordChange(tx, { actor, kind: 'product', subject: id, before, after });
      return after;
    });
  }

  const currentVersion = async (): Promise<string> =>
    singleRow(await checks.run<{ version: string }>(sql`select ${versionText} as version`)).version;
  /** Whether a read from a database replica shows the current catalogue (contract 4.4). */
  const isCurrent = async (rows: Versioned[]) => singleRow(rows).version === (await currentVersion());

  /**
   * Runs the statement of a list. Reads by id do not queue with other lists, because placing an order needs them. Searches by text or
   * category are planned each time, because the values decide which index is better.
   */
  async function runList({ q, category, sku, id }: ProductQuery, statement: Sql, caller: string | undefined) {
    const isPrepared = q === undefined && (category === undefined || id !== undefined || sku !== undefined);
    if (isPrepared && id !== undefined) return run<PageRow>(statement);
    return lists.inTurn(caller, async () => {
      const rows = await lists.readReplica<PageRow>(statement, isCurrent, isPrepared);
      return rows ?? (isPrepared ? lists.run : lists.runOnce)<PageRow>(statement);
    });
  }

  return {
    /**
     * Reads a page of products in one statement. PostgreSQL builds the JSON, because this is the store's busiest read and keeps every
     * digit of prices.
     * @param caller the client's address
     */
    async list(query: ProductQuery, caller?: string): Promise<ProductPage> {
      const { size, page, after, q, category, sku, id, sort } = query;
      const order = keyset(sort);
      const conditions: Sql[] = [];
      if (q !== undefined) conditions.push(sql`(${nameContains(q)} or ${skuBegins(q)})`);
      if (category !== undefined) conditions.push(sql`category = ${category}`);
      if (sku !== undefined) conditions.push(sql`sku = any(${sku}::text[])`);
      if (id !== undefined) conditions.push(sql`id = any(${id}::uuid[])`);
      if (after !== undefined) conditions.push(order.after(after));
      const offset = after === undefined && page > 0 ? sql`offset ${page}::bigint * ${size}::int` : empty;
      // One row more than requested tells whether there is a next page.
      const statement = sql`
        select ${versionText} as version,
               '[' || coalesce(string_agg(json, ',' order by n) filter (where n <= ${size}::int), '') || ']' as json,
               case when count(*) > ${size}::int
                 then max(${order.position}::text) filter (where n = ${size}::int) end as last
        from (select *, row_number() over (order by ${order.orderBy}) as n
              from (select * from products where ${allOf(conditions)}
                    order by ${order.orderBy} limit ${size}::int + 1 ${offset}) as rows
             ) as page, lateral (${selectJson} from (select ${columns}) as product) as item`;
      const { json, version, last } = singleRow(await runList(query, statement, caller));
      return { json, version, next: last === null ? undefined : order.cursorOf(JSON.parse(last)) };
    },
    /** Lists the categories in order, 1,000 at most. Jumps from one to the next in the index, however many products each has. */
    async categories(caller?: string): Promise<Versioned> {
      const next = (after: string) => raw(`(select min(category) from products ${after})`);
      const statement = sql`
        with recursive found(category) as (
          select ${next('')} union all
          select ${next('where category > found.category')} from found where found.category is not null
        ), listed as (select category from found where category is not null limit ${maxCategories}::int)
        select coalesce(json_agg(category), '[]')::text as json, ${versionText} as version from listed`;
      return singleRow(await lists.inTurn(caller, () => lists.run<Versioned>(statement)));
    },
    /**
     * Reads a product and the version of the catalogue. One statement, because the cache needs both from the same moment. It takes 50 µs
     * of CPU, two model calls take 370 µs, and customers read a catalogue product by product.
     */
    async find(id: string): Promise<Versioned | undefined> {
      const [row] = await run<Versioned>(sql`
        ${selectJson}, ${versionText} as version from (${productOf(id)}) as product`);
      return row;
    },
    currentVersion,
    /** @returns the product as JSON, like `update` */
    insert: (actor: string, id: string, product: ProductIn): Promise<string> =>
      inTransaction((tx) => create(tx, actor, id, product)).catch(skuTaken),
    /**
     * Creates the product with a sku, or replaces it. If another writer creates it at the same moment, it is replaced.
     * @throws DomainError preconditionFailed for `ifMatch` and `ifNoneMatch`, conflict for `version`
     */
    async put(actor: string, id: string, { sku, version, ...product }: ProductChange & { sku: string }, seen: Seen) {
      const attempt = () =>
        transactionOf(actor, async (tx) => {
          const before = await lockBySku(tx, sku);
          mustNotMatch(seen.ifNoneMatch, before && entityTag(before));
          mustMatch(seen.ifMatch, before && entityTag(before));
          if (before === undefined) {
            if (version != null) throw versionOfNothing(sku);
            return { isNew: true, id, json: await create(tx, actor, id, { ...product, sku }) };
          }
          const known: { id: string; version: number } = JSON.parse(before);
          mustBeVersion(version, known.version);
          await tx.product.update({
            where: { id: known.id },
            data: valuesOf({ ...product, sku }),
            select: { id: true },
          });
          const after = await read(tx, known.id);
          recordChange(tx, { actor, kind: 'product', subject: known.id, before, after });
          return { isNew: false, id: known.id, json: after };
        });
      return attempt()
        .catch((error) => (isDuplicate(error) ? attempt() : Promise.reject(error)))
        .catch(skuTaken);
    },
    update(actor: string, id: string, product: ProductChange, ifMatch?: string): Promise<string> {
      const { version } = product;
      return write(actor, id, { ifMatch, version }, async (tx) => {
        await tx.product.update({ where: { id }, data: valuesOf(product), select: { id: true } });
        return read(tx, id);
      }).catch(skuTaken);
    },
    remove: (actor: string, id: string, ifMatch?: string) =>
      write(actor, id, { ifMatch }, async (tx) => {
        await tx.product.delete({ where: { id }, select: { id: true } });
        return undefined;
      }),
  };
}
