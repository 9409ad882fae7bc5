import { seededRandom } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { type Fixture, startFixture } from './_fixture.ts';
import { audit, auditWebhook, outcomes } from './audit/_audit.ts';
import { waitForQuiescence } from './audit/_quiescence.ts';
import { withRecorded } from './audit/_recorded-operations.ts';
import { readRecordedState } from './audit/_recorded-state.ts';
import { checkHistory, sizeOf } from './history/_check.ts';
import { foundBugs, seedBugs } from './history/_seeded-bugs.ts';
import { groupNames, resetOffsets } from './inject/_consumer-groups.ts';
import { createFaults } from './inject/_faults.ts';
import { type PlacedOrder, placeOrders } from './load/_orders.ts';
import { startReaders } from './load/_readers.ts';
import { type Heard, startReceiver } from './load/_receiver.ts';
import { ampleStock, createWorkload, type PlannedOrder, type Workload } from './load/_workload.ts';

// make test-faults sets 500 orders. make test runs the short form: every fault once, in a fixed order.
const isLong = process.env.FAULT_ORDERS !== undefined;
const orders = Number(process.env.FAULT_ORDERS ?? 36);
const seed = Number(process.env.FAULT_SEED ?? (isLong ? Date.now() % 100_000 : 1));
const minute = 60_000;
/** With start and stop, less than the ten minutes that make test-faults allows. */
const limitMs = (isLong ? 8 : 5) * minute;

let fixture: Fixture;
let heard: Heard;
let isPassed = false;
const placed: PlacedOrder[] = [];

beforeAll(async () => {
  const env = { SHIP_AFTER_SECONDS: '2', INITIAL_STOCK: String(ampleStock), RETRY_DELAY_MS: '100' };
  fixture = await startFixture(env, limitMs, isLong);
  fixture.report(`${orders} orders with FAULT_SEED=${seed}`);
  heard = await startReceiver(fixture);
}, 2 * minute);

afterAll(async () => {
  await fixture?.end(!isPassed);
  if (isPassed) return;
  if (!isLong) process.stderr.write(`${fixture?.reported.join('\n')}\n`);
  process.stderr.write(`Reproduce: FAULT_SEED=${seed} ${isLong ? 'make test-faults' : 'make test'}\n`);
}, minute);

/** Places these orders while customers read their orders and faults are injected. */
async function placeDuring(
  workload: Workload,
  batches: PlannedOrder[][],
  pauseMs: () => number,
  inject: (isOver: () => boolean) => Promise<unknown>,
) {
  const { report, fail, signal } = fixture;
  let isOver = false;
  const stopReaders = startReaders(fixture, workload, placed, seededRandom(seed + 3));
  const placing = placeOrders(fixture, batches, placed, pauseMs).finally(() => {
    isOver = true;
  });
  const both = [placing, inject(() => isOver)] as const;
  for (const one of both) one.catch(fail);
  await Promise.allSettled(both);
  signal.throwIfAborted();
  // A cancellation that waits for the payment can only proceed after the last fault.
  await Promise.all(await placing);
  await stopReaders();
  signal.throwIfAborted();
  report(`${placed.length} orders placed`);
}

/** Waits until nothing is in flight. */
async function readEnd() {
  await waitForQuiescence(fixture);
  const state = await readRecordedState(fixture);
  const history = withRecorded(fixture.history, state);
  fixture.report(`History: ${sizeOf(history)}`);
  return { state, violations: checkHistory(history, ampleStock) };
}

async function expectConsistentState() {
  const { state, violations } = await readEnd();
  const counts = outcomes(state);
  fixture.report(`Outcomes of orders: ${JSON.stringify(counts)}`);
  const missing = isLong ? Object.keys(counts).filter((outcome) => counts[outcome] === 0) : [];
  const discrepancies = [
    ...audit(state),
    ...auditWebhook(state, heard),
    ...violations,
    ...missing.map((outcome) => `No order is ${outcome}`),
  ];
  if (discrepancies.length > 0) {
    throw new Error(`${discrepancies.length} discrepancies:\n${discrepancies.slice(0, 40).join('\n')}`);
  }
  fixture.report('The recorded state is consistent');
}

it(
  `the store stays consistent through ${orders} orders while components are killed, paused and partitioned (seed ${seed})`,
  async () => {
    const workload = await createWorkload(fixture, orders, seededRandom(seed));
    const faults = createFaults(fixture, seededRandom(seed + 1), placed, isLong);
    const random = seededRandom(seed + 2);
    const pauseMs = () => random(isLong ? 700 : 800);
    const firstPart = Math.ceil(workload.batches.length * 0.6);
    const resetAllOffsets = () => Promise.all(groupNames.map((group) => resetOffsets(fixture, group)));

    // No offset resets at first, because reading again would repair a loss.
    await placeDuring(workload, workload.batches.slice(0, firstPart), pauseMs, (isOver) =>
      isLong ? faults.injectUntil(isOver, false) : faults.injectOnce(),
    );
    await expectConsistentState();
    await placeDuring(workload, workload.batches.slice(firstPart), pauseMs, (isOver) =>
      isLong ? faults.injectUntil(isOver, true) : resetAllOffsets(),
    );
    await expectConsistentState();
    if (isLong) {
      await resetAllOffsets();
      await expectConsistentState();
    }
  },
  limitMs + minute,
);

/** Waits until all orders are placed and final, so that customers also read the last states. */
const untilFinal = (isOver: () => boolean) =>
  until(
    'all orders are final',
    async () => {
      const sql = `select from orders where status <> 'CANCELLED' and shipped_at is null limit 1`;
      return isOver() && (await fixture.rows('order', sql)).length === 0;
    },
    { timeoutMs: minute, intervalMs: 500 },
  );

it(
  'the checker finds four bugs seeded into the store',
  async () => {
    const workload = await createWorkload(fixture, 20, seededRandom(seed + 4));
    const batches = await seedBugs(fixture, workload.batches);
    placed.splice(0); // customers must read the orders of the buggy store
    await placeDuring(workload, batches, () => 100, untilFinal);
    const { violations } = await readEnd();
    for (const text of violations) fixture.report(`With seeded bugs: ${text}`);
    const found = (pattern: RegExp) => violations.some((text) => pattern.test(text));
    expect(Object.entries(foundBugs).filter(([, pattern]) => !found(pattern))).toEqual([]);
    isPassed = true;
  },
  2 * minute,
);
