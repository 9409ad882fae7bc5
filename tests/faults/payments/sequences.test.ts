import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { seededRandom } from '../../kit/random.ts';
import { startInvoices } from './_documents.ts';
import { startInProcess } from './_in-process.ts';
import { documentViolationsOf, numberViolationsOf } from './_properties.ts';
import { stories } from './_stories.ts';
import { tellRound } from './_tell.ts';

const isLong = process.env.FAULT_PAYMENTS !== undefined;
const [numRuns, perRun] = isLong ? [10, 100] : [2, 40];
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);

let payments: Awaited<ReturnType<typeof startInProcess>>;
let invoices: Awaited<ReturnType<typeof startInvoices>>;
beforeAll(async () => {
  payments = await startInProcess();
  payments.provider.hangFor(300);
  invoices = await startInvoices();
});
afterAll(async () => {
  await payments?.stop();
  await invoices?.stop();
});

// Not shrunk: what fails depends on moments, too, so a smaller sequence that happens to succeed says nothing.
it(
  `two replicas, their documents and the provider's books agree after any sequence (FAULT_SEED=${seed})`,
  async () => {
    const { provider, cutDatabase, endLeases } = payments;
    const disturbances = [cutDatabase, endLeases, endLeases, provider.down];
    for (const [run, told] of fc.sample(stories(perRun), { seed, numRuns }).entries()) {
      const random = seededRandom(seed + run);
      const {
        violations,
        open,
        outcomes,
        told: all,
      } = await tellRound(payments, told, random, async (isOver) => {
        // More and more seldom, so that a slow machine comes to an end, too.
        for (let pauseMs = 300; !isOver(); pauseMs += 100) {
          await wait(pauseMs + random(1_000));
          await disturbances[random(disturbances.length)]?.().catch(() => undefined);
          await provider.up();
        }
      });
      expect(violations).toEqual([]);
      expect({ run, open, outcomes }).toMatchObject({ open: [] });
      await invoices.tell(await payments.events(), random);
      const documents = await invoices.documents();
      expect(all.flatMap((one) => documentViolationsOf(one, documents.get(one.story.orderId)))).toEqual([]);
      const [, notes = []] = await invoices.numbers();
      expect(notes.length).toBeGreaterThan(0);
      expect((await invoices.numbers()).flatMap(numberViolationsOf)).toEqual([]);
    }
    expect([...(await payments.tablesWithSecrets()), ...payments.secretLines]).toEqual([]);
  },
  (isLong ? 60 : 10) * 60_000,
);
