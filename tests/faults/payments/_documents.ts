import type { StoredEvent } from '@store/shared/messaging/events';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { testGroup } from '../../../services/consumers/test/groups/_group.ts';
import { createTestDatabase, queryOnce } from '../../kit/postgres/database.ts';
import { whileCommitsFail } from '../../kit/postgres/transaction.ts';
import type { Random } from '../../kit/random.ts';
import type { Document, Documents } from './_properties.ts';
import { persist } from './_surroundings.ts';

interface Row {
  order_id: string;
  number: string;
  amount: string;
  currency: string;
  taxes: { permille: number; gross: Decimal.Value; tax: Decimal.Value }[] | null;
}

/** Starts two replicas of invoice in this process, without Kafka. */
export async function startInvoices() {
  const database = await createTestDatabase('consumers');
  const replicas = [1, 2].map(() => testGroup(database.url, 'invoice-group'));
  const rows = (table: string) =>
    queryOnce<Row>(database.url, `select order_id, number, amount, currency, taxes from ${table} order by number`);

  /** Has a replica handle all events in chunks, as after the last commit of its offsets: it begins some of them again. */
  async function follow(handle: (...events: StoredEvent[]) => Promise<unknown>, events: StoredEvent[], random: Random) {
    for (let from = 0; from < events.length; ) {
      const [begin, end] = [Math.max(from - random(5), 0), from + 1 + random(20)];
      await persist(() => handle(...events.slice(begin, end)));
      from = end;
    }
  }

  return {
    /** Both handle all events at the same time, as while a partition changes hands. Some commits of both fail. */
    async tell(events: StoredEvent[], random: Random): Promise<void> {
      const [first, second] = replicas;
      if (first === undefined || second === undefined) throw new Error('There are no replicas.');
      const fails = (work: () => Promise<unknown>) =>
        whileCommitsFail(database.url, 'outbox', () => work().catch(() => undefined));
      const crashing = async (...chunk: StoredEvent[]) => {
        if (random(10) === 0) await fails(() => first.handle(...chunk));
        await first.handle(...chunk);
      };
      await Promise.all([follow(crashing, events, random), follow(second.handle, events, random)]);
    },
    async documents(): Promise<Map<string, Documents>> {
      const notes = Map.groupBy(await rows('credit_notes'), ({ order_id }) => order_id);
      const invoices = await rows('invoices');
      return new Map(
        invoices.map((row) => [
          row.order_id,
          { invoice: toDocument(row), notes: (notes.get(row.order_id) ?? []).map(toDocument) },
        ]),
      );
    },
    /** The numbers of all invoices, and of all credit notes. */
    numbers: async () =>
      Promise.all(
        ['invoices', 'credit_notes'].map(async (table) => (await rows(table)).map(({ number }) => Number(number))),
      ),
    async stop(): Promise<void> {
      for (const { close } of replicas) await close();
      await database.drop();
    },
  };
}

function toDocument({ amount, currency, taxes }: Row): Document {
  const units = (value: Decimal.Value) => Number(toMinorUnits({ amount: new Decimal(value), currency }));
  return {
    amount: units(amount),
    taxes: (taxes ?? []).map(({ permille, gross, tax }) => ({ permille, gross: units(gross), tax: units(tax) })),
  };
}
