import { invalidFields, tryParse } from '../values/errors.ts';
import { join, raw, type Sql, sql } from './sql.ts';

export type Direction = 'asc' | 'desc';

/** One `sort=field,direction` (contract 5). */
export interface Sort<F extends string = string> {
  field: F;
  direction: Direction;
}

/** A sort column, and how a cursor holds its value. The SQL is written in the code and never comes from a caller. */
interface KeyColumn {
  /** The expression to sort by, as in the index. */
  sql: string;
  /** The SQL type to cast the cursor's text to. */
  type: string;
  /** The value as text, exact to the last digit and microsecond. */
  text: string;
  /** Accepts only texts that PostgreSQL can cast, so that a forged cursor is refused before the query. */
  accepts: Pick<RegExp, 'test'>;
}

/** Accepts timestamps with milliseconds to microseconds that PostgreSQL accepts, so no 30 February and no year 0. */
export const cursorTime = {
  test(value: string): boolean {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/.test(value) || value < '0001') return false;
    const time = new Date(value);
    return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 23) === value.slice(0, 23);
  },
};
export const cursorUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A timestamptz as ISO 8601 in UTC. */
export const isoTime = (column: string, precision: 'MS' | 'US') =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.${precision}"Z"')`;

export const timeColumn = (column: string, precision: 'MS' | 'US' = 'US'): KeyColumn => ({
  sql: column,
  type: 'timestamptz',
  text: isoTime(column, precision),
  accepts: cursorTime,
});

/** Condition for UUIDs that begin with these digits (`uuidPrefix` of values/fields.ts): one range of the index. */
export const beginsWith = (column: string, digits: string): Sql =>
  sql`${raw(column)} between ${digits.padEnd(32, '0')}::uuid and ${digits.padEnd(32, 'f')}::uuid`;

export const uuidColumn = (column: string): KeyColumn => ({
  sql: column,
  type: 'uuid',
  text: `${column}::text`,
  accepts: cursorUuid,
});

export interface KeysetOrder {
  /** The columns to sort by, in order; one of them is unique. */
  key: readonly (KeyColumn & { direction: Direction })[];
  orderBy: Sql;
  /** The row's position as a JSON array of texts, for `cursorOf`. */
  position: Sql;
  /** Condition for the rows after a cursor. @throws DomainError invalid if the cursor is of another collection or sort order */
  after(cursor: string): Sql;
  /** Returns the position in a cursor; throws like `after`. */
  positionOf(cursor: string): string[];
  cursorOf(position: string[]): string;
}

/**
 * Sorts with cursors over several columns. The last is unique, so that every row has a definite position (contract 5).
 * @param collection its cursors are refused in other collections
 * @param unique the field that breaks ties, in the direction of the first sort field
 */
export function createKeyset<F extends string>(collection: string, columns: Record<F, KeyColumn>, unique: NoInfer<F>) {
  /** At most one for each sequence of sort fields. */
  const orders = new Map<string, KeysetOrder>();
  return (sort: readonly Sort<F>[]): KeysetOrder => {
    const direction = sort[0]?.direction ?? 'asc';
    const sorts = sort.some(({ field }) => field === unique) ? sort : [...sort, { field: unique, direction }];
    const name = `${collection};${sorts.map((one) => `${one.field},${one.direction}`).join(';')}`;
    const known = orders.get(name);
    if (known !== undefined) return known;
    const key = sorts.map((one) => ({ ...columns[one.field], direction: one.direction }));
    const positionOf = (cursor: string) => decodeCursor(cursor, name, key);
    const order: KeysetOrder = {
      key,
      orderBy: orderByKey(key),
      position: raw(`json_build_array(${key.map(({ text }) => text).join(', ')})`),
      after: (cursor) => rowsAfter(key, positionOf(cursor)),
      positionOf,
      cursorOf: (position) => encodeCursor(name, position),
    };
    orders.set(name, order);
    return order;
  };
}

export const orderByKey = (key: readonly { sql: string; direction: Direction }[]): Sql =>
  raw(key.map((column) => `${column.sql} ${column.direction}`).join(', '));

/** `(a, b) > ($1, $2)`, also in mixed directions. The index scan starts at the cursor or, in mixed directions, at its first column. */
export function rowsAfter(
  key: readonly (Pick<KeyColumn, 'sql' | 'type'> & { direction: Direction })[],
  position: readonly string[],
): Sql {
  const columns = key.map((column) => raw(column.sql));
  const values = key.map(({ type }, index) => sql`${position[index]}::${raw(type)}`);
  const compare = (index: number) => raw(key[index]?.direction === 'desc' ? '<' : '>');
  if (key.every(({ direction }) => direction === key[0]?.direction)) {
    return sql`(${join(columns)}) ${compare(0)} (${join(values)})`;
  }
  const alternatives = columns.map((column, index) => {
    const ties = columns.slice(0, index).map((tied, before) => sql`${tied} = ${values[before]}`);
    return sql`(${join([...ties, sql`${column} ${compare(index)} ${values[index]}`], ' and ')})`;
  });
  return sql`(${columns[0]} ${compare(0)}= ${values[0]} and (${join(alternatives, ' or ')}))`;
}

export function encodeCursor(name: string, position: string[]): string {
  return Buffer.from(JSON.stringify([name, ...position])).toString('base64url');
}

/** @throws DomainError invalid if the cursor is of another collection or sort order */
export function decodeCursor(cursor: string, name: string, key: readonly Pick<KeyColumn, 'accepts'>[]): string[] {
  const [given, ...position] = parseCursor(cursor);
  const fits = position.length === key.length && key.every(({ accepts }, index) => accepts.test(position[index] ?? ''));
  if (given === name && fits) return position;
  throw invalidFields({ path: 'query.after', message: 'is not a cursor of this collection and sort order' });
}

function parseCursor(cursor: string): string[] {
  const bytes = Buffer.from(cursor, 'base64url');
  const value: unknown = tryParse(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : [];
}
