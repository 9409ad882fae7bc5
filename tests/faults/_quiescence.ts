import { setTimeout as wait } from 'node:timers/promises';
import { behind } from './_consumer-groups.ts';
import type { Fixture } from './_fixture.ts';

/** Longer than a session of a killed member, a rebalance and the longest wait of a handler together. */
const longestStandstillMs = 90_000;
const publishers = ['order', 'inventory', 'payment'];

/** Until every order is in its final state, every event published, and every group at the end of the topic. */
export async function settle(fixture: Fixture): Promise<void> {
  let before = '';
  for (let since = Date.now(), isOpenStill = true; isOpenStill; await wait(1_000)) {
    fixture.signal.throwIfAborted();
    const open = await whatIsOpen(fixture);
    // Asked twice: what a group has just handled may have written one more event.
    isOpenStill = open.length > 0 || (await whatIsOpen(fixture)).length > 0;
    const now = open.join('\n');
    if (now !== before) since = Date.now();
    before = now;
    if (Date.now() - since > longestStandstillMs) {
      throw new Error(`Nothing has moved for ${longestStandstillMs / 1000} s, and this is open still:\n${now}`);
    }
  }
}

/** Nothing where everything is settled. Groups first: what they do is seen in the tables then. */
async function whatIsOpen(fixture: Fixture): Promise<string[]> {
  const open = await behind(fixture);
  for (const database of publishers) {
    const unsent = await fixture.rows<{ kind: string; key: string }>(
      database,
      'select kind, key from outbox where sent_at is null order by seq',
    );
    open.push(...unsent.map(({ kind, key }) => `${database} has not published ${kind} of order ${key}`));
  }
  const orders = await fixture.rows<{ id: string; status: string; isFinal: boolean }>(
    'order',
    `select id, status, status = 'CANCELLED' or shipped_at is not null as "isFinal" from orders`,
  );
  const running = orders.filter(({ isFinal }) => !isFinal);
  const line = `${orders.length - running.length} of ${orders.length} orders final, ${open.length} other things open`;
  if (!fixture.said.at(-1)?.endsWith(line)) fixture.say(line);
  open.push(...running.map(({ id, status }) => `order ${id} is ${status} and not final`));
  return open;
}
