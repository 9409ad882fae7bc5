import { join, raw, type Sql, sql } from './sql.ts';

/**
 * Makes rows a table in a statement, such as `from ${rowsAs('change', changes, { orderId: 'uuid', status: 'text' })}`. Each
 * column is one array, so the statement is the same, and stays prepared, for any number of rows.
 * @param types SQL types by column; an undefined value becomes null, other properties are left out
 */
export function rowsAs<Row>(
  alias: string,
  rows: readonly Row[],
  types: { readonly [Name in keyof Row & string]?: string },
): Sql {
  const names = Object.keys(types) as (keyof Row & string)[];
  const columns = names.map((name) => sql`${rows.map((row) => row[name])}::${raw(String(types[name]))}[]`);
  return sql`unnest(${join(columns)}) as ${quoted(alias)}(${join(names.map(quoted))})`;
}

const quoted = (name: string) => raw(`"${name}"`);
