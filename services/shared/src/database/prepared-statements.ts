import { type RawBuilder, sql } from 'kysely';

/**
 * Names under which statements stay prepared on a connection: parsing and planning are a good part of what a short
 * statement costs. Only the first `limit` statements get a name, because every sort order is a statement of its own and
 * each prepared one occupies memory for the life of the connection. The rest get '' and are not prepared.
 */
export function createStatementNames(limit = 100): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    if (!names.has(sql) && names.size < limit) names.set(sql, `s${names.size}`);
    return names.get(sql) ?? '';
  };
}

/** Placeholders that a prepared statement has for its values, by the value's name. */
export type Placeholders<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> };

class Placeholder {
  readonly name: string | symbol;
  constructor(name: string | symbol) {
    this.name = name;
  }
}

export function placeholders<Values extends object>(): Placeholders<Values> {
  return new Proxy({} as Placeholders<Values>, { get: (_, name) => sql`${new Placeholder(name)}` });
}

/** The parameters of a compiled statement, with values in the place of placeholders. */
export const valuesFor = (parameters: readonly unknown[], values: object): unknown[] =>
  parameters.map((parameter) =>
    parameter instanceof Placeholder ? values[parameter.name as keyof typeof values] : parameter,
  );
