import { setTimeout as wait } from 'node:timers/promises';
import type { View } from '../_fixture.ts';
import { lag } from '../inject/_consumer-groups.ts';
import { publishers } from './_recorded-state.ts';

/** More than the sum of a killed member's session time-out, a rebalance and the longest retry delay. */
const stallMs = 90_000;

/** Waits until every order is final, every event is published and delivered, and every group has read the whole topic. */
export async function waitForQuiescence(view: View): Promise<void> {
  let before = '';
  for (let changedAt = Date.now(), isQuiescent = false; !isQuiescent; await wait(1_000)) {
    view.signal.throwIfAborted();
    const pending = await pendingWork(view);
    // Checks twice, because a message handled during the first check may have caused another event.
    isQuiescent = pending.length === 0 && (await pendingWork(view)).length === 0;
    const now = pending.join('\n');
    if (now !== before) changedAt = Date.now();
    before = now;
    if (Date.now() - changedAt > stallMs) {
      throw new Error(`No progress for ${stallMs / 1000} s. Still pending:\n${now}`);
    }
  }
}

/** One line per pending piece of work. Reads the groups first, so that the tables include what the groups wrote. */
async function pendingWork(view: View): Promise<string[]> {
  const pending = await lag(view);
  const describe = async (database: string, sql: string) => {
    for (const { line } of await view.rows<{ line: string }>(database, sql)) pending.push(line);
  };
  for (const publisher of publishers) {
    await describe(
      publisher,
      `select '${publisher} has not published ' || kind || ' of order ' || key as line from outbox
       where sent_at is null order by seq`,
    );
  }
  await describe(
    'order',
    `select 'order ' || id || ' is ' || status || ' and not final' as line from orders
     where status <> 'CANCELLED' and shipped_at is null`,
  );
  await describe(
    'consumers',
    `select 'delivery of ' || kind || ' of order ' || order_id || ' is pending' as line from webhook_deliveries
     where state = 'PENDING'`,
  );
  const line = `${pending.length} items pending`;
  if (!view.reported.at(-1)?.endsWith(line)) view.report(line);
  return pending;
}
