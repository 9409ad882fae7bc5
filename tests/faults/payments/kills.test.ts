import fc from 'fast-check';
import { seededRandom } from '../../kit/random.ts';
import { killInTurn } from './_kills.ts';
import { type PaymentProcesses, startProcesses } from './_processes.ts';
import { stories } from './_stories.ts';
import { tellRound } from './_tell.ts';

// make test-payments sets 10,000 payments. make test runs one round.
const isLong = process.env.FAULT_PAYMENTS !== undefined;
const perRound = isLong ? 250 : 50;
const rounds = Math.max(1, Math.round(Number(process.env.FAULT_PAYMENTS ?? perRound) / perRound));
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const minute = 60_000;
const limitMs = (isLong ? 2 + rounds * 3 : 8) * minute;
const kills = isLong ? { pauseMs: 4_000, most: 100 } : { pauseMs: 1_500, most: 5 };

let payments: PaymentProcesses;
let hasPassed = false;
const reported: string[] = [];
const startedAt = Date.now();
function report(line: string): void {
  const stamped = `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`;
  reported.push(stamped);
  if (isLong) process.stderr.write(`${stamped}\n`);
}

beforeAll(async () => {
  report(`${rounds * perRound} payments with FAULT_SEED=${seed}`);
  payments = await startProcesses(report);
  payments.provider.hangFor(isLong ? 5_000 : 2_000);
}, 2 * minute);

afterAll(async () => {
  await payments?.stop(!hasPassed);
  if (hasPassed) return;
  if (!isLong) process.stderr.write(`${reported.join('\n')}\n`);
  process.stderr.write(`Reproduce: FAULT_SEED=${seed} ${isLong ? 'make test-payments' : 'make test'}\n`);
}, minute);

it(
  `the store and the provider's books agree about ${rounds * perRound} payments, whatever fails (FAULT_SEED=${seed})`,
  async () => {
    const open: string[] = [];
    const outcomes: Record<string, number> = {};
    // Not shrunk: a round takes most of a minute, and what fails depends on the moment of a kill.
    for (const [round, told] of fc.sample(stories(perRound), { seed, numRuns: rounds }).entries()) {
      const random = seededRandom(seed + round);
      const result = await tellRound(payments, told, random, (isOver) =>
        killInTurn(payments, random, report, { ...kills, isOver }),
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
    expect(open.length).toBeLessThanOrEqual((rounds * perRound) / 1_000);
    hasPassed = true;
  },
  limitMs,
);
