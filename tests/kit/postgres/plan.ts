import { type Sql, type Statements, sql } from '@store/shared/database/sql';

export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Rows Removed by Filter'?: number;
  'Heap Fetches'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Subplan Name'?: string;
  Plans?: Plan[];
}

/** The nodes of a plan from the top down. */
export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

export const blocksOf = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** Runs a statement and returns the nodes of its plan. */
export async function explain({ run }: Statements, statement: Sql): Promise<[Plan, ...Plan[]]> {
  const [row] = await run<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    sql`explain (analyze, buffers, format json) ${statement}`,
  );
  return nodesOf(row?.['QUERY PLAN'][0].Plan as Plan) as [Plan, ...Plan[]];
}
