import { raw, type Sql } from '@prisma/client/runtime/client';

export { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';

/** A number as a part of the statement's text: PostgreSQL plans for it, and takes it where it takes no parameter. */
export const literal = (value: number): Sql => raw(String(value));

/**
 * Sends a statement as it stands, prepared by its text, and returns its rows. numeric and bigint arrive as text, timestamptz as Date.
 * @typeParam Row what the statement selects; a test compares it with what PostgreSQL returns
 */
export type Run = <Row = unknown>(statement: Sql) => Promise<Row[]>;

/** Whatever statements can be sent to: the connections of a process, or the one of a transaction. */
export interface Statements {
  run: Run;
}
