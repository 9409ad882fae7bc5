import type { ResultOut } from '../../contracts/dead-letters.ts';
import type { Database } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Transaction, TransactionOf } from '../../database/transaction.ts';
import { traceFrom } from '../../observability/trace-context.ts';
import { isOfAccount, type OrderEvent, type StoreEvent } from '../events.ts';
import type { ConsumerGroup } from './group.ts';
import { recordEvents } from './processed-events.ts';

type Rehearsal = Pick<ResultOut, 'outcome' | 'effect'>;

/**
 * Predicts what the group would do: runs the handler for an event, and rolls its changes back. An event that is prepared
 * outside the transaction, such as by a call to another service, is not handled.
 * @param event undefined if the group does not handle its kind
 */
export async function rehearse<Client, Prepared>(
  group: ConsumerGroup<Client, Prepared>,
  { inTransaction }: Pick<Database<Client>, 'inTransaction'>,
  event: StoreEvent | undefined,
): Promise<Rehearsal> {
  if (event === undefined)
    return { outcome: 'REDRIVEN', effect: `${group.name} skips this kind: it would do nothing.` };
  const rehearsed: Rehearsal[] = [];
  const rollBack = new Error('The changes are rolled back');
  await inTransaction(async (tx) => {
    rehearsed.push(await handled(group, tx, event));
    throw rollBack;
  }).catch((error) => {
    if (error !== rollBack) throw error;
  });
  return rehearsed[0] as Rehearsal;
}

async function handled<Client, Prepared>(
  { name, prepare, handle, accounts }: ConsumerGroup<Client, Prepared>,
  tx: TransactionOf<Client>,
  event: StoreEvent,
): Promise<Rehearsal> {
  const isNew = await recordEvents(name, [event.id], tx);
  if (isNew.size === 0) {
    return { outcome: 'REDRIVEN', effect: `${name} has processed this event before: it would do nothing.` };
  }
  if (prepare !== undefined && !isOfAccount(event)) {
    const effect = `Unknown: ${name} calls other services before it changes anything, and a dry run does not.`;
    return { outcome: 'UNKNOWN', effect };
  }
  const before = await rowsWritten(tx);
  let refusal = '';
  const refuse = (_: OrderEvent, reason: string) => {
    refusal = ` It would refuse the event: ${reason}`;
  };
  const trace = traceFrom(event.traceparent);
  if (isOfAccount(event)) await accounts?.handle([event], tx);
  else await handle([{ event, trace, prepared: undefined as Prepared }], tx, refuse);
  await tx.run(sql`set constraints all immediate`);
  const changes = [...(await rowsWritten(tx))].flatMap(([what, count]) => {
    const more = count - (before.get(what) ?? 0);
    return more > 0 ? `${more} ${more === 1 ? 'row' : 'rows'} ${what}` : [];
  });
  const done = changes.length === 0 ? 'change nothing' : `handle it: ${changes.join(', ')}`;
  return { outcome: 'REDRIVEN', effect: `${name} would ${done}.${refusal}` };
}

/** Counts the rows that this connection has written and not yet added to the database's statistics, by operation and table. */
async function rowsWritten(tx: Transaction): Promise<Map<string, number>> {
  const rows = await tx.run<{ what: string; count: number }>(sql`
    select what || ' ' || relname as what, count::int
    from pg_stat_xact_user_tables,
         lateral (values ('added to', n_tup_ins), ('changed in', n_tup_upd), ('deleted from', n_tup_del)) as written (what, count)
    where count > 0 order by relname, what`);
  return new Map(rows.map(({ what, count }) => [what, count]));
}
