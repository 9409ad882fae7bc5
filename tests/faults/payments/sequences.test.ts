import fc from 'fast-check';
import { seededRandom } from '../../kit/random.ts';
import { startInProcess } from './_in-process.ts';
import { stories } from './_stories.ts';
import { tellRound } from './_tell.ts';

const runs = 3;
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);

let payments: Awaited<ReturnType<typeof startInProcess>>;
beforeAll(async () => {
  payments = await startInProcess();
  payments.provider.hangFor(300);
});
afterAll(() => payments?.stop());

it(`two replicas and the provider's books agree after any sequence (FAULT_SEED=${seed})`, async () => {
  const { provider, cutDatabase, endLeases } = payments;
  let run = 0;
  const property = fc.asyncProperty(stories(60), async (told) => {
    const random = seededRandom(seed + run);
    run += 1;
    await provider.clear();
    const disturbances = [cutDatabase, endLeases, endLeases, provider.down];
    const { violations, open } = await tellRound(payments, told, random, async (isOver) => {
      while (!isOver()) {
        await new Promise((resolve) => setTimeout(resolve, 300 + random(1_000)));
        await disturbances[random(disturbances.length)]?.().catch(() => undefined);
        await provider.up();
      }
    });
    expect([...violations, ...open]).toEqual([]);
  });
  // What fails depends on moments, too: a smaller sequence that happens to succeed says nothing.
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
}, 300_000);
