import { type Kysely, sql, type Transaction } from 'kysely';
import type { ResultOut } from '../../contracts/dead-letters.ts';
import { inTransaction } from '../../database/transaction.ts';
import { traceFrom } from '../../observability/trace-context.ts';
import { isOfAccount, type OrderEvent, type StoreEvent } from '../events.ts';
import type { ConsumerGroup } from './handle-once.ts';
import { recordEvents } from './processed-events.ts';

type Rehearsal = Pick<ResultOut, 'outcome' | 'effect'>;

/**
 * Predicts what the group would do: has the handler process an event, and takes back what it has changed. One that is
 * prepared outside the transaction, such as by a charge, is not handled.
 * @param event undefined if it is of a kind that the group does not handle
 */
export async function rehearse<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
  event: StoreEvent | undefined,
): Promise<Rehearsal> {
  if (event === undefined)
    return { outcome: 'REDRIVEN', effect: `${group.name} skips this kind: it would do nothing.` };
  const rehearsed: Rehearsal[] = [];
  const rollBack = new Error('The changes are taken back');
  await inTransaction(database, async (tx) => {
    rehearsed.push(await handled(group, tx, event));
    throw rollBack;
  }).catch((error) => {
    if (error !== rollBack) throw error;
  });
  return rehearsed[0] as Rehearsal;
}

async function handled<Tables, Prepared>(
  { name, prepare, handle, accounts }: ConsumerGroup<Tables, Prepared>,
  tx: Transaction<Tables>,
  event: StoreEvent,
): Promise<Rehearsal> {
  const isNew = await recordEvents(name, [event.id], tx);
  if (isNew.size === 0) {
    return { outcome: 'REDRIVEN', effect: `${name} has processed this event before: it would do nothing.` };
  }
  if (prepare !== undefined && !isOfAccount(event)) {
    const effect = `It cannot be known: ${name} asks others before it changes anything, and a dry run does not.`;
    return { outcome: 'UNKNOWN', effect };
  }
  const before = await rowsWritten(tx);
  let refusal = '';
  const refuse = (_: OrderEvent, reason: string) => {
    refusal = ` It refuses it: ${reason}`;
  };
  const trace = traceFrom(event.traceparent);
  if (isOfAccount(event)) await accounts?.handle([event], tx);
  else await handle([{ event, trace, prepared: undefined as Prepared }], tx, refuse);
  await sql`set constraints all immediate`.execute(tx);
  const changes = [...(await rowsWritten(tx))].flatMap(([what, count]) => {
    const more = count - (before.get(what) ?? 0);
    return more > 0 ? `${more} ${more === 1 ? 'row' : 'rows'} ${what}` : [];
  });
  const done = changes.length === 0 ? 'change nothing' : `handle it: ${changes.join(', ')}`;
  return { outcome: 'REDRIVEN', effect: `${name} would ${done}.${refusal}` };
}

/** By this connection, and not yet added to the statistics of the database. */
async function rowsWritten<Tables>(tx: Transaction<Tables>): Promise<Map<string, number>> {
  const { rows } = await sql<{ what: string; count: number }>`
    select what || ' ' || relname as what, count::int
    from pg_stat_xact_user_tables,
         lateral (values ('added to', n_tup_ins), ('changed in', n_tup_upd), ('deleted from', n_tup_del)) as written (what, count)
    where count > 0 order by relname, what`.execute(tx);
  return new Map(rows.map(({ what, count }) => [what, count]));
}
