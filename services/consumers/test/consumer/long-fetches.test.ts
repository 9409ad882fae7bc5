import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture } from './_fixture.ts';

/** Shorter than a broker without messages keeps a fetch. */
const soonMs = 2_000;

let fixture: Fixture;
afterEach(() => fixture.close());

it('a consumer leaves its group without waiting for a fetch in flight', async () => {
  fixture = await createFixture(2);
  const first = anEvent();
  await fixture.publish(first);
  const consumer = fixture.start();
  await fixture.has(first);
  await wait(300); // until the next fetch is sent
  const startedAt = performance.now();
  await consumer.stop();
  expect(performance.now() - startedAt).toBeLessThan(soonMs);
  await fixture.reset(); // fails unless the group is empty
});

it('a partition that goes on after a long batch does not wait for a fetch of the others', async () => {
  fixture = await createFixture(2);
  const { promise: released, resolve: release } = deferred();
  const slow = anEvent();
  const next = anEvent(slow.key); // of the same partition
  let hasStarted = false;
  fixture.start(async (id) => {
    if (id !== slow.id) return;
    hasStarted = true;
    await released;
  });
  await fixture.publish(slow);
  await until('the handler has started', () => hasStarted);
  await wait(400); // until it continues in the background, and the other partition is fetched
  release();
  await fixture.publish(next);
  const startedAt = performance.now();
  await fixture.has(next);
  expect(performance.now() - startedAt).toBeLessThan(soonMs);
});
