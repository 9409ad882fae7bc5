import { deployments, gatewayUrl, restart } from './_cluster.ts';
import { allOrders, type Load, startLoad, untilConfirmed } from './_load.ts';

let load: Load;

beforeAll(async () => {
  load = await startLoad(await gatewayUrl());
});

afterAll(() => load?.stop());

it('every Deployment is restarted under load, and no request is lost', async () => {
  for (const name of await deployments()) {
    const before = load.failures.length;
    await restart([name]);
    const failed = load.failures.slice(before);
    console.log(`${name}: ${failed.length} failed of ${load.requests()} so far\n${failed.slice(0, 5).join('\n')}`);
  }
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(load.requests()).toBeGreaterThan(1000);
}, 1_200_000);

it('no order is lost or doubled, and all are confirmed', async () => {
  const found = await untilConfirmed(load);
  expect([...found.keys()].sort()).toEqual([...load.orders.keys()].sort());
  expect(new Set(found.values())).toEqual(new Set(['CONFIRMED']));
  expect(await allOrders(load.orders.values())).toEqual(found);
}, 300_000);
