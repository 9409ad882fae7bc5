import fc from 'fast-check';
import { seededRandom } from '../../kit/random.ts';
import { killInTurn } from './_kills.ts';
import { type PaymentProcesses, startProcesses } from './_processes.ts';
import { stories } from './_stories.ts';
import { tellRound } from './_tell.ts';

// make test-payments sets 10,000 payments. make test has sequences.test.ts instead, which needs no processes.
const count = Number(process.env.FAULT_PAYMENTS ?? 0);
const perRound = Math.min(count, 250);
const rounds = Math.ceil(count / perRound);
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const minute = 60_000;
const limitMs = (5 + rounds * 5) * minute;

let payments: PaymentProcesses;
let hasPassed = false;
const startedAt = Date.now();
function report(line: string): void {
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}

(count > 0 ? describe : describe.skip)('while payment and all that it needs are killed', () => {
  beforeAll(async () => {
    report(`${count} payments with FAULT_SEED=${seed}`);
    payments = await startProcesses(report);
    payments.provider.hangFor(5_000);
  }, 2 * minute);

  afterAll(async () => {
    await payments?.stop(!hasPassed);
    if (hasPassed) return;
    process.stderr.write(`Reproduce: FAULT_SEED=${seed} make test-payments\n`);
  }, minute);

  it(
    `the store and the provider's books agree about ${count} payments, whatever fails (FAULT_SEED=${seed})`,
    async () => {
      const open: string[] = [];
      const outcomes: Record<string, number> = {};
      // Not shrunk: a round takes most of a minute, and what fails depends on the moment of a kill.
      for (const [round, told] of fc.sample(stories(perRound), { seed, numRuns: rounds }).entries()) {
        const random = seededRandom(seed + round);
        const result = await tellRound(payments, told, random, (isOver) =>
          killInTurn(payments, random, report, { pauseMs: 4_000, most: 100, isOver }),
        );
        for (const [name, count] of Object.entries(result.outcomes)) outcomes[name] = (outcomes[name] ?? 0) + count;
        report(`Round ${round + 1}: ${JSON.stringify(result.outcomes)}`);
        expect(result.violations).toEqual([]);
        const listed = await payments.openOrders();
        expect(listed).toEqual(expect.arrayContaining(result.open));
        open.push(...result.open);
      }
      report(`Outcomes: ${JSON.stringify(outcomes)}`);
      expect([...(await payments.tablesWithSecrets()), ...(await payments.logsWithSecrets())]).toEqual([]);
      expect(open.length).toBeLessThanOrEqual(count / 1_000);
      hasPassed = true;
    },
    limitMs,
  );
});
