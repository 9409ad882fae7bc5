import { type Run, type Statements, sql } from '@store/shared/database/sql';

// Calls of `run`, which are never made: check.test.ts compares their row types with columns.

const statement = sql`select`;

interface Named {
  id: string;
}
interface Item extends Named {
  status: 'OPEN' | 'SHUT' | null;
}

async function readAll<Row>(run: Run): Promise<Row[]> {
  return run<Row & { position: string[] }>(statement);
}

export const calls = ({ run, ...others }: Statements & { lists: Statements }) => ({
  row: () => run<{ id: string; count: number; at: Date | null; isOpen: boolean; names: string[] }>(statement),
  item: () => others.lists.run<Item>(statement),
  asserted: async () => (await run(statement)) as [Named],
  unread: () => run(statement),
  // biome-ignore lint/suspicious/noExplicitAny: the check must refuse it
  unchecked: () => run<any>(statement),
  page: () => readAll<Named>(run),
  pageWithoutType: (): Promise<Named[]> => readAll(run),
});
