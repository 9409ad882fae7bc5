import type { ReturnedPageOut } from '@store/shared/contracts/refund';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { sql } from '@store/shared/database/sql';
import { fromMinorUnits } from '@store/shared/values/money';
import type { PrismaClient } from './generated/client.ts';
import type { Dispute, Refund } from './refund.ts';

type Returned = Pick<Refund, 'id' | 'orderId' | 'currency' | 'createdAt' | 'updatedAt'> & { amount: string } & (
    | ({ kind: 'refund' } & Pick<Refund, 'state' | 'source' | 'failure'>)
    | ({ kind: 'dispute'; source: null; failure: null } & Pick<Dispute, 'state'>)
  );

const keyset = createKeyset('returned', { createdAt: timeColumn('created_at'), id: uuidColumn('id') }, 'id');
const newestFirst = keyset([{ field: 'createdAt', direction: 'desc' }]);

const select = sql`kind, id, order_id as "orderId", amount::text as amount, currency, state, source, failure,
  created_at as "createdAt", updated_at as "updatedAt"`;
const from = sql`(
  select 'refund' as kind, id, order_id, amount, currency, state, source, failure, created_at, updated_at from refunds
  union all
  select 'dispute', id, order_id, amount, currency, state, null, null, created_at, updated_at from disputes
) as returned`;

export type ReturnedRepository = ReturnType<typeof createReturnedRepository>;

export const createReturnedRepository = ({ lists }: Pick<Database<PrismaClient>, 'lists'>) => ({
  /** A page of the refunds and disputes of all customers, the newest first. */
  async page({ state, ...page }: PageQuery & { state?: string | undefined }): Promise<ReturnedPageOut> {
    const where = state === undefined ? [] : [sql`state = ${state}`];
    const { rows, next } = await readPage<Returned>(lists.run, { select, from, where }, newestFirst, page);
    return { returned: rows.map(toReturnedOut), next: next ?? null };
  },
});

/** The database checks source and state. */
function toReturnedOut(row: Returned): ReturnedPageOut['returned'][number] {
  const own = {
    id: row.id,
    orderId: row.orderId,
    amount: fromMinorUnits(BigInt(row.amount), row.currency),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
  if (row.kind === 'dispute') return { ...own, kind: row.kind, state: row.state };
  return { ...own, kind: row.kind, state: row.state, source: row.source, failure: row.failure };
}
