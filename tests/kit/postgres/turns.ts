import { until } from '../until.ts';
import { queryOnce } from './database.ts';
import { whileHolding } from './transaction.ts';

/** Sends a request for a list. @param address of the client */
type Ask = (address: string, n: number) => PromiseLike<{ status: number }>;

const blocked = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';

/**
 * Asks for 20 lists of a table at once, then for one as another caller, and passes if the other caller need not wait for all 20.
 * @param ask must send a different request for each `n` if equal requests are answered together
 */
export function readsInTurn(databaseUrl: string, table: string, ask: Ask): Promise<void> {
  let round = 0;
  async function isOvertaken(): Promise<boolean> {
    round += 1;
    // New addresses in each round, so that neither is already known to be slow.
    const first = `198.51.100.${round}`;
    const other = `192.0.2.${round}`;
    const order: string[] = [];
    const answer = async (address: string, n: number) => {
      const { status } = await ask(address, n);
      order.push(address);
      expect([200, 503]).toContain(status);
    };
    const isRead = (count: number) => async () =>
      order.length > 0 || (await queryOnce(databaseUrl, blocked)).length >= count;
    const lock = `lock table ${table} in access exclusive mode`;
    const { answers } = await whileHolding(databaseUrl, lock, [], async () => {
      const answers = Array.from({ length: 20 }, (_, n) => answer(first, n));
      await until('four lists are being read', isRead(4));
      answers.push(answer(other, 20));
      await until('a fifth list is being read', isRead(5));
      return { answers };
    });
    await Promise.all(answers);
    return order.indexOf(other) <= 5;
  }
  // Repeated, because the lists may run into their time-out on a busy machine.
  return until('the list of the other is read before those that wait', isOvertaken, { timeoutMs: 15_000 });
}
