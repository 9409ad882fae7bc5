import pg from 'pg';
import type { Store } from '../../../local/store.ts';

/** The content of each database for an order that is CONFIRMED and not shipped: a number of rows, or a sum. */
const recorded: [database: string, what: string, count: string, perOrder: number][] = [
  ['order', 'confirmed orders', `select count(*) from orders where status = 'CONFIRMED'`, 1],
  ['order', 'orders', 'select count(*) from orders', 1],
  ['order', 'events of order', 'select count(*) from outbox where sent_at is not null', 1],
  ['inventory', 'reservations', `select count(*) from reservations where status = 'RESERVED'`, 1],
  ['inventory', 'pieces taken', 'select coalesce(sum(1000 - available), 0) from stock', 3],
  ['inventory', 'events of inventory', 'select count(*) from outbox where sent_at is not null', 1],
  ['payment', 'payments', 'select count(*) from payments', 1],
  ['payment', 'events of payment', 'select count(*) from outbox where sent_at is not null', 1],
  ['consumers', 'notifications', 'select count(*) from notifications', 2],
  ['consumers', 'invoices', 'select count(*) from invoices', 1],
  ['consumers', 'the last invoice', 'select coalesce(max(number), 0) from invoices', 1],
  ['consumers', 'orders of the figures', 'select coalesce(sum(orders), 0) from daily_figures', 1],
  ['consumers', 'paid orders of the figures', 'select coalesce(sum(paid), 0) from daily_figures', 1],
];

/**
 * Compares what all services have recorded with the number of orders placed, of three pieces each.
 * @returns a sentence for each difference
 */
export async function differences(store: Store, orders: number): Promise<string[]> {
  const found: string[] = [];
  for (const [database, what, count, perOrder] of recorded) {
    const client = new pg.Client({ connectionString: store.databaseUrl(database) });
    await client.connect();
    try {
      const { rows } = await client.query<[string]>({ text: count, rowMode: 'array' });
      const actual = Number(rows[0]?.[0]);
      if (actual !== orders * perOrder) found.push(`${what}: ${actual} instead of ${orders * perOrder}`);
    } finally {
      await client.end();
    }
  }
  return found;
}
