import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from 'simple-statistics';
import { deliveryId } from '../../../services/consumers/src/groups/webhook/standard-ids.ts';
import { residentMib } from '../../../tools/bench/process-usage.ts';
import { seededRandom } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { restartAfter } from '../_restart.ts';
import { type behaviours, type Endpoint, startEndpoint } from './_endpoints.ts';
import { type Run, startRun } from './_run.ts';

// make test-webhooks sets 10,000 events and 20 kills. make test runs the short form, which measures nothing.
const isLong = process.env.FAULT_EVENTS !== undefined;
const events = Number(process.env.FAULT_EVENTS ?? 120);
const kills = Number(process.env.FAULT_KILLS ?? 2);
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const perSecond = 20;
const minute = 60_000;
const limitMs = isLong ? 40 * minute : 4 * minute;

let run: Run;
let hasPassed = false;
interface Told extends Endpoint {
  webhookId: string;
  /** Events from before the webhook, of which it does not hear. */
  earlier: ReadonlySet<string>;
}
const endpoints: Told[] = [];
const startedAt = Date.now();
function report(line: string): void {
  if (isLong) process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}

beforeAll(async () => {
  report(`${events} events and ${kills} kills with FAULT_SEED=${seed}`);
  run = await startRun(report);
}, 2 * minute);

afterAll(async () => {
  for (const { stop } of endpoints) stop();
  await run?.stop(!hasPassed);
  if (!hasPassed)
    process.stderr.write(`Reproduce: FAULT_SEED=${seed} ${isLong ? 'make test-webhooks' : 'make test'}\n`);
}, minute);

async function add(name: keyof typeof behaviours): Promise<Told> {
  const endpoint = await startEndpoint(name);
  const earlier = new Set(run.committedAt.keys());
  const added = { ...endpoint, earlier, webhookId: await run.addWebhook(endpoint.url) };
  endpoints.push(added);
  return added;
}

async function remove({ webhookId, stop }: Told): Promise<void> {
  await run.removeWebhook(webhookId);
  stop();
  endpoints.splice(
    endpoints.findIndex((one) => one.webhookId === webhookId),
    1,
  );
}

/** ms from the commit of each of these events until the endpoint had accepted it. */
async function latencies({ accepted, webhookId, name }: Told, ids: string[]): Promise<number[]> {
  const acceptedAt = (id: string) => accepted.get(deliveryId(webhookId, id))?.at;
  await until(`${name} has heard of all`, () => ids.every((id) => acceptedAt(id) !== undefined), {
    timeoutMs: 2 * minute,
  });
  return ids.map((id) => (acceptedAt(id) ?? 0) - (run.committedAt.get(id) ?? 0));
}

const p95 = (numbers: number[]) => Math.round(quantile(numbers, 0.95));

/** Kills the sender, its database or Kafka so many times, and has them run again. */
async function killInTurn(count: number, pauseMs: number): Promise<void> {
  const random = seededRandom(seed);
  const names = ['webhook', 'kafka', 'postgres'] as const;
  for (let done = 0; done < count; done += 1) {
    await wait(pauseMs / 2 + random(pauseMs));
    const name = names[done % names.length] ?? 'webhook';
    await restartAfter(run.store, name, { awayMs: random(1_000), report });
  }
}

it(
  `five endpoints hear of ${events} events, whatever is killed, and those that fail delay no other (FAULT_SEED=${seed})`,
  async () => {
    const healthy = await add('healthy');
    const others = await Promise.all(Array.from({ length: 4 }, () => add('healthy')));
    const part = Math.ceil(events / 5);
    await run.commitEvents(Math.ceil(part / 10), perSecond); // everything is warm
    const amongHealthy = p95(await latencies(healthy, await run.commitEvents(part, perSecond)));
    for (const other of others) await remove(other);
    for (const name of ['slow', 'failing', 'hanging', 'flapping'] as const) await add(name);
    await run.commitEvents(Math.ceil(part / 10), perSecond);
    const beside = p95(await latencies(healthy, await run.commitEvents(part, perSecond)));
    report(
      `A healthy endpoint hears of 95 % within ${amongHealthy} ms beside four healthy ones, ${beside} beside the others`,
    );

    const rest = events - run.committedAt.size;
    await Promise.all([
      run.commitEvents(rest, perSecond),
      killInTurn(kills, kills < 3 ? 2_000 : ((rest / perSecond) * 1_000) / kills),
    ]);
    for (const { heal } of endpoints) heal();
    const isOver = async ({ name, webhookId, earlier }: Told) => {
      const { PENDING = [], ...ended } = await run.states(webhookId);
      report(`${name}: ${PENDING.length} are pending`);
      return PENDING.length === 0 && Object.values(ended).flat().length === run.committedAt.size - earlier.size;
    };
    const areAllOver = async () => {
      await run.hurry();
      return (await Promise.all(endpoints.map(isOver))).every(Boolean);
    };
    await until('each delivery is accepted or given up', areAllOver, { timeoutMs: limitMs / 2, intervalMs: 3_000 });

    for (const { name, webhookId, earlier, accepted } of endpoints) {
      const { DELIVERED = [], GIVEN_UP = [] } = await run.states(webhookId);
      const matching = [...run.committedAt.keys()].filter((id) => !earlier.has(id));
      const wanted = matching.map((id) => deliveryId(webhookId, id));
      expect([name, [...DELIVERED, ...GIVEN_UP].sort()]).toEqual([name, wanted.sort()]);
      expect([name, DELIVERED.filter((id) => !accepted.has(id))]).toEqual([name, []]);
      expect([name, [...accepted.values()].filter(({ sequences }) => sequences.size !== 1)]).toEqual([name, []]);
      report(`${name}: ${DELIVERED.length} accepted, ${GIVEN_UP.length} given up`);
    }
    if (isLong) {
      expect(beside).toBeLessThanOrEqual(300);
      expect(beside).toBeLessThanOrEqual(1.1 * amongHealthy);
    }
    hasPassed = true;
  },
  limitMs,
);

(isLong ? it : it.skip)(
  'a thousand endpoints, of which 900 hang, take less than 64 MiB (make test-webhooks)',
  async () => {
    hasPassed = false;
    for (const { stop } of endpoints.splice(0)) stop();
    const { store } = run;
    const resident = async () => (await residentMib(store.component('webhook').pid())).now;
    const [good, bad] = [await add('healthy'), await startEndpoint('hanging')];
    await latencies(good, await run.commitEvents(200, 10));
    const before = await resident();
    for (let count = 0; count < 94; count += 1) await run.addWebhook(good.url);
    for (let count = 0; count < 900; count += 1) await run.addWebhook(bad.url);
    const took = await latencies(good, await run.commitEvents(20, 0.5));
    const after = await resident();
    report(`From ${before} to ${after} MiB; the slowest of 20 events took ${Math.max(...took)} ms`);
    expect(after - before).toBeLessThanOrEqual(64);
    bad.stop();
    hasPassed = true;
  },
  limitMs,
);
