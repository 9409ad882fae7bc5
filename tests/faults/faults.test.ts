import { seededRandom } from '../kit/random.ts';
import { type Fixture, startFixture } from './_fixture.ts';
import { audit, outcomes } from './audit/_audit.ts';
import { waitForQuiescence } from './audit/_quiescence.ts';
import { withRecorded } from './audit/_recorded-operations.ts';
import { readRecordedState } from './audit/_recorded-state.ts';
import { checkHistory, sizeOf } from './history/_check.ts';
import { resetOffsets } from './inject/_consumer-groups.ts';
import { createFaults } from './inject/_faults.ts';
import { groupNames } from './inject/_poison.ts';
import { type PlacedOrder, placeOrders } from './load/_orders.ts';
import { startReaders } from './load/_readers.ts';
import { ampleStock, createWorkload, type PlannedOrder, type Workload } from './load/_workload.ts';

// make test-faults sets 500 orders. make test runs the short form: every fault once, in a fixed order.
const isLong = process.env.FAULT_ORDERS !== undefined;
const orders = Number(process.env.FAULT_ORDERS ?? 36);
const seed = Number(process.env.FAULT_SEED ?? (isLong ? Date.now() % 100_000 : 1));
const minute = 60_000;
/** Together with start and stop less than the ten minutes that make test-faults allows. */
const limitMs = (isLong ? 8 : 5) * minute;

let fixture: Fixture;
let workload: Workload;
let hasFailed = true;
const placed: PlacedOrder[] = [];

beforeAll(async () => {
  const env = { SHIP_AFTER_SECONDS: '2', INITIAL_STOCK: String(ampleStock), RETRY_DELAY_MS: '100' };
  fixture = await startFixture({ env, limitMs, isVerbose: isLong });
  workload = await createWorkload(fixture, orders, seededRandom(seed));
}, 2 * minute);

afterAll(async () => {
  await fixture?.end(hasFailed);
  if (hasFailed && !isLong) process.stderr.write(`${fixture?.reported.join('\n')}\n`);
  if (hasFailed) process.stderr.write(`Reproduce: FAULT_SEED=${seed} ${isLong ? 'make test-faults' : 'make test'}\n`);
}, minute);

test(
  `the store stays consistent through ${orders} orders while components are killed and stopped (seed ${seed})`,
  async () => {
    const { report, fail, signal } = fixture;
    report(`${orders} orders with FAULT_SEED=${seed}`);
    const faults = createFaults(fixture, seededRandom(seed + 1), placed);
    const random = seededRandom(seed + 2);
    const firstPart = Math.ceil(workload.batches.length * 0.6);

    async function placeDuring(batches: PlannedOrder[][], inject: (isOver: () => boolean) => Promise<unknown>) {
      let isOver = false;
      const readers = startReaders(fixture, workload, placed, seededRandom(seed + 3));
      const placing = placeOrders(fixture, batches, placed, () => random(isLong ? 700 : 800)).finally(() => {
        isOver = true;
      });
      const both = [placing, inject(() => isOver)] as const;
      for (const one of both) one.catch(fail);
      await Promise.allSettled(both);
      signal.throwIfAborted();
      // A cancellation that waits for the payment can only proceed once no more faults are injected.
      await Promise.all(await placing);
      await readers.stop();
      signal.throwIfAborted();
      report(`${placed.length} of ${orders} orders placed`);
    }

    async function expectConsistentState() {
      await waitForQuiescence(fixture);
      const state = await readRecordedState(fixture);
      const history = withRecorded(fixture.history, state);
      report(`History: ${sizeOf(history)}`);
      const discrepancies = [...audit(state), ...checkHistory(history, ampleStock)];
      const counts = outcomes(state);
      report(`Outcomes of orders: ${JSON.stringify(counts)}`);
      if (isLong) {
        const missing = Object.keys(counts).filter((outcome) => counts[outcome] === 0);
        discrepancies.push(...missing.map((outcome) => `No order is ${outcome}`));
      }
      if (discrepancies.length > 0) {
        throw new Error(`${discrepancies.length} discrepancies:\n${discrepancies.slice(0, 40).join('\n')}`);
      }
      report('The recorded state is consistent');
    }

    const resetAllOffsets = () => Promise.all(groupNames.map((group) => resetOffsets(fixture, group)));

    // No offset resets at first: reading again would repair what was lost.
    await placeDuring(workload.batches.slice(0, firstPart), (isOver) =>
      isLong ? faults.injectUntil(isOver, false) : faults.injectOnce(),
    );
    await expectConsistentState();
    await placeDuring(workload.batches.slice(firstPart), (isOver) =>
      isLong ? faults.injectUntil(isOver, true) : resetAllOffsets(),
    );
    await expectConsistentState();
    if (isLong) {
      await resetAllOffsets();
      await expectConsistentState();
    }
    hasFailed = false;
  },
  limitMs + minute,
);
