import { randomUUID } from 'node:crypto';
import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { isConflict, isDatabaseUnavailable, isDuplicate } from '@store/shared/database/errors';
import { isoTime } from '@store/shared/database/keyset';
import { rowsAs } from '@store/shared/database/rows';
import { join, literal, raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { DomainError } from '@store/shared/values/errors';
import type { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import { columns, valuesOf } from '../product-repository.ts';
import type { importLine } from '../schemas.ts';
import type { Part } from './part-splitter.ts';

export type ImportLine = z.output<typeof importLine> & { line: number };

/** Why a line was not imported. Says nothing that the line holds. */
export interface LineError {
  line: number;
  message: string;
}

export interface ParsedLines {
  /** Including empty lines, which are neither imported nor errors. */
  linesRead: number;
  /** Of each sku the first line. */
  products: ImportLine[];
  errors: LineError[];
}

export const repeatedSku = 'repeats the sku of an earlier line';

/** An import that has received lines for longer is lost: a body takes a minute at most (shared/http/body.ts). */
const maxReceivingSeconds = 90;
/** How many errors an import shows. */
const maxErrors = 100;
/** In the whole store, so that what waits in the database stays bounded. */
const maxOpen = 20;
const keptDays = 30;
/** Parts of all imports take turns, and together one connection of a process. */
const turns = 'product imports';

/** The columns that a line sets, with their types. A new field of products is a type error here. */
const types: Record<keyof ReturnType<typeof valuesOf>, { column: string; type: string }> = {
  sku: { column: 'sku', type: 'text' },
  name: { column: 'name', type: 'text' },
  price: { column: 'price', type: 'numeric' },
  unit: { column: 'unit', type: 'text' },
  description: { column: 'description', type: 'text' },
  images: { column: 'images', type: 'json' },
  category: { column: 'category', type: 'text' },
  taxPermille: { column: 'tax_permille', type: 'int' },
};
const columnTypes = Object.fromEntries(Object.values(types).map(({ column, type }) => [column, type]));
const names = Object.keys(columnTypes);
const list = (of: string) => raw(names.map((name) => `${of}.${name}`).join(', '));
/** Compared by value: json has no equality, and its text may differ. */
const comparable = (of: string) =>
  raw(names.map((name) => (columnTypes[name] === 'json' ? `${of}.${name}::jsonb` : `${of}.${name}`)).join(', '));
const differs = sql`(${comparable('products')}) is distinct from (${comparable('line')})`;

const rowOf = (line: ImportLine): Record<string, unknown> => {
  const values = valuesOf(line);
  const entries = Object.entries(types) as [keyof typeof values, { column: string; type: string }][];
  return Object.fromEntries(
    entries.map(([name, { column, type }]) => [column, type === 'json' ? JSON.stringify(values[name]) : values[name]]),
  );
};
const rowsOf = (lines: ImportLine[]) => rowsAs('line', lines.map(rowOf), columnTypes);

/** A product of the current row as JSON, as in a reply. */
const productJson = sql`(select row_to_json(product) from (select ${columns}) as product)`;

const importJson = raw(`json_strip_nulls(json_build_object('id', id, 'state', state, 'lines', lines,
  'linesRead', lines_read, 'created', created, 'replaced', replaced, 'unchanged', unchanged, 'failed', failed,
  'errors', errors, 'createdAt', ${isoTime('created_at', 'MS')}, 'endedAt', ${isoTime('ended_at', 'MS')}))::text`);

const isOpen = raw(`state in ('RECEIVING', 'RUNNING')`);
/** Its process has ended without a word. */
const isLost = sql`state = 'RECEIVING' and created_at < now() - interval '${literal(maxReceivingSeconds)} s'`;

export type ImportRepository = ReturnType<typeof createImportRepository>;

export function createImportRepository({ run, prisma, transactionOf, inTransaction }: Database<PrismaClient>) {
  /** Ends an import whose lines have not all been read. What it has changed stays. */
  const interrupt = (which: Sql) =>
    inTransaction(async (tx) => {
      const ended = await tx.run<{ id: string }>(sql`
        update product_imports set state = 'INTERRUPTED', ended_at = now() where ${isOpen} and ${which} returning id`);
      await tx.productImportPart.deleteMany({ where: { importId: { in: ended.map(({ id }) => id) } } });
    });

  return {
    /**
     * Opens an import, which receives parts.
     * @throws DomainError rateLimited if the actor has an open one, unavailable if the store has too many
     */
    async open(actor: string): Promise<string> {
      await interrupt(isLost);
      const id = randomUUID();
      const opened = await run(sql`
        insert into product_imports (id, actor)
        select ${id}::uuid, ${actor}
        where (select count(*) from product_imports where ${isOpen}) < ${literal(maxOpen)}
        returning id`).catch((error) => {
        if (!isDuplicate(error)) throw error;
        const detail = 'Your last import has not ended yet. Wait for its end, then try again.';
        throw new DomainError('rateLimited', detail, { code: 'too-many-imports', retryAfterSeconds: 5, cause: error });
      });
      if (opened.length === 0) throw tooMany();
      return id;
    },
    async add(importId: string, part: number, { firstLine, lineCount, lines }: Part): Promise<void> {
      await run(sql`
        with counted as (
          update product_imports set lines = lines + ${lineCount}::int where id = ${importId}::uuid and state = 'RECEIVING'
          returning id
        )
        insert into product_import_parts (import_id, part, first_line, lines)
        select id, ${part}::int, ${firstLine}::int, ${lines}::bytea from counted`);
    },
    /** Lets a received import begin. @returns it as JSON; undefined if it was interrupted meanwhile */
    async begin(id: string): Promise<string | undefined> {
      const [row] = await run<{ json: string }>(sql`
        update product_imports set state = 'RUNNING', touched_at = clock_timestamp()
        where id = ${id}::uuid and state = 'RECEIVING' returning ${importJson} as json`);
      return row?.json;
    },
    /** Forgets an import that nobody knows yet. */
    async drop(id: string): Promise<void> {
      await prisma.productImport.deleteMany({ where: { id } });
    },
    /** @param actor whose it must be; default: anybody's */
    async find(id: string, actor?: string): Promise<string | undefined> {
      const [row] = await run<{ json: string }>(sql`
        select ${importJson} as json
        from (
          select id, case when ${isLost} then 'INTERRUPTED' else state end as state, lines, lines_read, created,
                 replaced, unchanged, failed, errors, created_at, ended_at
          from product_imports where id = ${id}::uuid and (actor = ${actor ?? null} or ${actor === undefined})
        ) as found`);
      return row?.json;
    },
    /**
     * Imports the next part of the import whose turn it is, in one transaction, so that a process that dies has imported a part or
     * not. Other processes skip an import that is being worked on.
     * @param parse reads the lines of a part, the first of which has this number
     * @returns the id of the import; undefined if there is nothing to do
     */
    async next(parse: (lines: Uint8Array, firstLine: number) => Promise<ParsedLines>): Promise<string | undefined> {
      // Cheaper than a transaction, since there is rarely one.
      const running = await run(sql`select from product_imports where state = 'RUNNING' limit 1`);
      if (running.length === 0) return undefined;
      let workingOn: string | undefined;
      const imported = transactionOf(turns, async (tx) => {
        const [found] = await tx.run<{ id: string; actor: string }>(sql`
          select id, actor from product_imports where state = 'RUNNING' order by touched_at limit 1 for update skip locked`);
        if (found === undefined) return undefined;
        workingOn = found.id;
        const part = await tx.productImportPart.findFirst({ where: { importId: found.id }, orderBy: { part: 'asc' } });
        if (part === null) {
          tx.send(sql`
            update product_imports set state = 'DONE', ended_at = clock_timestamp() where id = ${found.id}::uuid`);
          return found.id;
        }
        const { linesRead, products, errors } = await parse(part.lines, part.firstLine);
        const isNew = await firstTimes(tx, found.id, products);
        const fresh = products.filter(({ sku }) => isNew.has(sku));
        for (const { sku, line } of products) if (!isNew.has(sku)) errors.push({ line, message: repeatedSku });
        const { created, replaced } = await write(tx, found.actor, fresh);
        const unchanged = fresh.length - created - replaced;
        count(tx, found.id, { linesRead, created, replaced, unchanged }, errors);
        await tx.productImportPart.delete({ where: { importId_part: { importId: found.id, part: part.part } } });
        return found.id;
      });
      try {
        return await imported;
      } catch (error) {
        // It would fail again for a reason of its own, and keep others from their turn.
        const isAway = isDatabaseUnavailable(error) && !isConflict(error);
        if (workingOn !== undefined && !isAway) await interrupt(sql`id = ${workingOn}::uuid`);
        throw error;
      }
    },
    /** Ends what was lost, and deletes what nobody needs. */
    async cleanUp(): Promise<void> {
      await interrupt(isLost);
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from product_import_skus where ctid = any(array(
            select product_import_skus.ctid from product_import_skus
            join product_imports on product_imports.id = import_id
            where not ${isOpen} limit ${limit}))`,
      );
      await deleteInBatches(
        run,
        (limit) => sql`
          delete from product_imports where id in (
            select id from product_imports where ended_at < now() - interval '${literal(keptDays)} days' limit ${limit})`,
      );
    },
  };
}

const tooMany = () =>
  new DomainError('unavailable', 'Too many imports are open. Try again later.', {
    code: 'overloaded',
    retryAfterSeconds: 10,
  });

/** Notes the skus. @returns those that no earlier part had */
async function firstTimes(tx: Transaction, importId: string, products: ImportLine[]): Promise<Set<string>> {
  if (products.length === 0) return new Set();
  const rows = await tx.run<{ sku: string }>(sql`
    insert into product_import_skus (import_id, sku)
    select ${importId}::uuid, sku from unnest(${products.map(({ sku }) => sku)}::text[]) as sku
    on conflict do nothing returning sku`);
  return new Set(rows.map(({ sku }) => sku));
}

interface Counts {
  linesRead: number;
  created: number;
  replaced: number;
  unchanged: number;
}

function count({ send }: Transaction, id: string, counts: Counts, errors: LineError[]): void {
  const first = errors.sort((a, b) => a.line - b.line).slice(0, maxErrors);
  send(sql`
    update product_imports
    set lines_read = lines_read + ${counts.linesRead}::int, created = created + ${counts.created}::int,
        replaced = replaced + ${counts.replaced}::int, unchanged = unchanged + ${counts.unchanged}::int,
        failed = failed + ${errors.length}::int, touched_at = clock_timestamp(),
        errors = case when jsonb_array_length(errors) >= ${literal(maxErrors)} then errors else
          jsonb_path_query_array(errors || ${JSON.stringify(first)}::jsonb, '$[0 to ${literal(maxErrors - 1)}]') end
    where id = ${id}::uuid`);
}

interface Written {
  created: number;
  replaced: number;
}

/** How often lines are written whose products others create or delete meanwhile. */
const maxRounds = 5;

/**
 * Creates or replaces products by their sku, each change with its entry in the audit trail, in statements for all of them. A row that
 * would stay as it is, is not touched.
 */
async function write(tx: Transaction, actor: string, lines: ImportLine[]): Promise<Written> {
  const written = { created: 0, replaced: 0 };
  for (let [round, left] = [1, lines]; left.length > 0; round += 1) {
    if (round > maxRounds) throw Object.assign(new Error('Others write the same products'), { code: '40001' });
    const known = await tx.run<{ sku: string; differs: boolean }>(sql`
      select products.sku, ${differs} as differs from ${rowsOf(left)} join products on products.sku = line.sku`);
    const state = new Map(known.map(({ sku, differs }) => [sku, differs]));
    const replaced = await replace(
      tx,
      actor,
      left.filter(({ sku }) => state.get(sku) === true),
    );
    const created = await create(
      tx,
      actor,
      left.filter(({ sku }) => !state.has(sku)),
    );
    written.created += created.size;
    written.replaced += replaced.size;
    // Deleted or created by another writer since they were read.
    left = left.filter(({ sku }) => state.get(sku) !== false && !replaced.has(sku) && !created.has(sku));
  }
  return written;
}

/** @returns the skus of those that still existed */
async function replace(tx: Transaction, actor: string, lines: ImportLine[]): Promise<Set<string>> {
  if (lines.length === 0) return new Set();
  const skus = lines.map(({ sku }) => sku);
  // In one order in all transactions, so that two imports do not wait for each other.
  const locked = await tx.run<{ id: string; before: string }>(sql`
    select id, ${productJson}::text as before from products where sku = any(${skus}::text[]) order by sku for update`);
  const ids = locked.map(({ id }) => id);
  const set = join(names.filter((name) => name !== 'sku').map((name) => raw(`${name} = line.${name}`)));
  const rows = await tx.run<{ sku: string }>(sql`
    with changed as (
      update products set ${set} from ${rowsOf(lines)}
      where products.sku = line.sku and products.id = any(${ids}::uuid[])
      returning products.id, products.sku, ${changedJson} as after
    ), recorded as (
      insert into audit (actor, kind, subject, before, after)
      select ${actor}, 'product', changed.id, old.before::jsonb, changed.after::jsonb
      from changed join ${rowsAs('old', locked, { id: 'uuid', before: 'text' })} on old.id = changed.id
    )
    select sku from changed`);
  return new Set(rows.map(({ sku }) => sku));
}

/** In an update, both tables have the columns. */
const changedJson = sql`(select row_to_json(product) from (select ${columns} from (select products.*) as products) as product)`;

/** @returns the skus of those that no other writer has created meanwhile */
async function create(tx: Transaction, actor: string, lines: ImportLine[]): Promise<Set<string>> {
  if (lines.length === 0) return new Set();
  const rows = await tx.run<{ sku: string }>(sql`
    with created as (
      insert into products (id, ${raw(names.join(', '))})
      select gen_random_uuid(), ${list('line')} from ${rowsOf(lines)} order by line.sku
      on conflict do nothing returning id, sku, ${productJson} as after
    ), recorded as (
      insert into audit (actor, kind, subject, after)
      select ${actor}, 'product', id, after::jsonb from created
    )
    select sku from created`);
  return new Set(rows.map(({ sku }) => sku));
}
