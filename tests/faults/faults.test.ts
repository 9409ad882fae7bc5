import { audit, endings } from './_audit.ts';
import { reread } from './_consumer-groups.ts';
import { createFaults } from './_faults.ts';
import { createDice, type Fixture, startFixture } from './_fixture.ts';
import { openShop, type Placed, placeAll, plenty, type Shop } from './_orders.ts';
import { groupNames } from './_poison.ts';
import { settle } from './_quiescence.ts';
import { readRecords } from './_recorded-state.ts';

// make test-faults sets 500 orders; make test takes the short form: every fault once, in a fixed order.
const isLong = process.env.FAULT_ORDERS !== undefined;
const orders = Number(process.env.FAULT_ORDERS ?? 36);
const seed = Number(process.env.FAULT_SEED ?? (isLong ? Date.now() % 100_000 : 1));
const minute = 60_000;
/** With start and end less than the ten minutes of make test-faults. */
const limitMs = (isLong ? 8 : 5) * minute;

let fixture: Fixture;
let shop: Shop;
let hasFailed = true;
const placed: Placed[] = [];

beforeAll(async () => {
  const env = { SHIP_AFTER_SECONDS: '2', INITIAL_STOCK: String(plenty), RETRY_DELAY_MS: '100' };
  fixture = await startFixture({ env, limitMs, isLoud: isLong });
  shop = await openShop(fixture, orders, createDice(seed));
}, 2 * minute);

afterAll(async () => {
  await fixture?.end(hasFailed);
  if (hasFailed && !isLong) process.stderr.write(`${fixture?.said.join('\n')}\n`);
  if (hasFailed) process.stderr.write(`Once more: FAULT_SEED=${seed} ${isLong ? 'make test-faults' : 'make test'}\n`);
}, minute);

it(
  `loses nothing and does nothing twice: ${orders} orders while parts are killed and stopped, seed ${seed}`,
  async () => {
    const { say, fail, signal } = fixture;
    say(`${orders} orders with FAULT_SEED=${seed}`);
    const faults = createFaults(fixture, createDice(seed + 1), placed);
    const dice = createDice(seed + 2);
    const half = Math.ceil(shop.wishes.length * 0.6);

    async function placeDuring(wishes: Shop['wishes'], strike: (isOver: () => boolean) => Promise<unknown>) {
      let isOver = false;
      const placing = placeAll(fixture, wishes, placed, () => dice(isLong ? 700 : 800)).finally(() => {
        isOver = true;
      });
      const both = [placing, strike(() => isOver)] as const;
      for (const one of both) one.catch(fail);
      await Promise.allSettled(both);
      signal.throwIfAborted();
      // Those who cancel what is paid have to wait until the parts are left alone.
      await Promise.all(await placing);
      signal.throwIfAborted();
      say(`${placed.length} of ${orders} orders placed`);
    }

    async function recordsAgree() {
      await settle(fixture);
      const records = await readRecords(fixture);
      const wrong = audit({ ...records, placed, firstStock: shop.stock });
      say(`Ends of orders: ${JSON.stringify(endings(records))}`);
      if (isLong)
        wrong.push(...Object.entries(endings(records)).flatMap(([end, count]) => (count ? [] : `None is ${end}`)));
      if (wrong.length > 0) throw new Error(`${wrong.length} things do not agree:\n${wrong.slice(0, 40).join('\n')}`);
      say('All books agree');
    }

    const readAllAgain = () => Promise.all(groupNames.map((group) => reread(fixture, group)));

    // At first nobody reads again, for that would repair what was lost.
    await placeDuring(shop.wishes.slice(0, half), (isOver) => (isLong ? faults.until(isOver, false) : faults.once()));
    await recordsAgree();
    await placeDuring(shop.wishes.slice(half), (isOver) => (isLong ? faults.until(isOver, true) : readAllAgain()));
    await recordsAgree();
    if (isLong) {
      await readAllAgain();
      await recordsAgree();
    }
    hasFailed = false;
  },
  limitMs + minute,
);
