import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { Gauge, register } from 'prom-client';
import type { Books } from './books.ts';

const gauges = {
  unbooked: new Gauge({
    name: 'books_unbooked_payments',
    help: 'Payments that are not in the books yet, counted up to 10,000.',
    registers: [],
  }),
  problems: new Gauge({
    name: 'books_problems',
    help: 'Rules of the books that do not hold: sums that are not zero, or not those of the orders.',
    registers: [],
  }),
  differences: new Gauge({
    name: 'reconciliation_differences',
    help: "Differences between the provider's list and the books that the last run of make reconcile found, by kind.",
    labelNames: ['what'],
    registers: [],
  }),
  time: new Gauge({
    name: 'reconciliation_time_seconds',
    help: 'When the last run of make reconcile ended, in Unix time.',
    registers: [],
  }),
};

/** Measures the books. The last values stay while the database does not answer, so that no alert ends early. */
export function measureBooks({ show }: Books): Job {
  for (const gauge of Object.values(gauges)) register.registerMetric(gauge);
  // Before the first run, so that the alert has its series.
  for (const what of ['missing-here', 'missing-there', 'different']) gauges.differences.set({ what }, 0);
  return loop({ name: 'measures of the books', everyMs: 60_000 }, async () => {
    const { unbooked, problems, reconciliations } = await show();
    gauges.unbooked.set(unbooked);
    gauges.problems.set(problems.length);
    const last = reconciliations.at(-1);
    if (last === undefined) return;
    const sum = (key: 'missingHere' | 'missingThere' | 'different') =>
      reconciliations.reduce((all, part) => all + part[key], 0);
    gauges.differences.set({ what: 'missing-here' }, sum('missingHere'));
    gauges.differences.set({ what: 'missing-there' }, sum('missingThere'));
    gauges.differences.set({ what: 'different' }, sum('different'));
    gauges.time.set(Date.parse(last.at) / 1_000);
  });
}
