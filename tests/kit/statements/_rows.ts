import { type Run, type Statements, sql } from '@store/shared/database/sql';

// Calls of `run`, whose row types check.test.ts compares with columns. They are never made.

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
  // biome-ignore lint/suspicious/noExplicitAny: what is refused
  unchecked: () => run<any>(statement),
  page: () => readAll<Named>(run),
  pageOfNobody: (): Promise<Named[]> => readAll(run),
});
