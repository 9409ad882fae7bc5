import { raw, type Sql } from '@prisma/client/runtime/client';

export { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';

/** A number in the text of the statement: PostgreSQL can plan for it, and accepts it where parameters are not allowed. */
export const literal = (value: number): Sql => raw(String(value));

/** Text for a pattern of LIKE in which no character is a wildcard. */
export const likeLiteral = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

/**
 * Sends a statement unchanged, prepared by its text, and returns its rows. numeric and bigint arrive as text, timestamptz as Date.
 * @typeParam Row the selected columns; a test compares it with PostgreSQL's description of the statement
 */
export type Run = <Row = unknown>(statement: Sql) => Promise<Row[]>;

/** Runs statements: on any connection of a process, or on the connection of a transaction. */
export interface Statements {
  run: Run;
}
