import type { QueryExecutorProvider } from 'kysely';
import { Gauge } from 'prom-client';
import { within } from '../../values/time.ts';
import { heartbeatMs } from '../times.ts';
import { countOpen } from './records.ts';

/**
 * Reports how many dead letters of a group are open. Each scrape asks the database; while that does not answer, the last
 * count stands, so that no alert ends before somebody has decided about them.
 */
export function reportOpenLetters(database: QueryExecutorProvider, group: string): void {
  new Gauge({
    name: 'dead_letters_open',
    help: 'Dead letters of the group that are neither redriven nor discarded.',
    labelNames: ['group'],
    async collect() {
      const open = await within(heartbeatMs, countOpen(database, group)).catch(() => undefined);
      if (open !== undefined) this.set({ group }, open);
    },
  });
}
