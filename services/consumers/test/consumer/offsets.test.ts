import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture, rawOf, times } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

describe('consumer offsets', () => {
  it('are committed after the handler, not before', async () => {
    fixture = await createFixture();
    const { promise: released, resolve: release } = deferred();
    const event = anEvent();
    await fixture.publish(event);
    let hasStarted = false;
    fixture.start(async () => {
      hasStarted = true;
      await released;
    });
    await until('the handler has started', () => hasStarted);
    await wait(500); // longer than the client holds a batch
    expect({ committed: await fixture.committed(), handled: await fixture.handled() }).toEqual({
      committed: 0,
      handled: [],
    });
    release();
    await until('the offset is committed', async () => (await fixture.committed()) === 1);
    expect(await fixture.handled()).toEqual([event.id]);
  });

  it('may be reset without events being handled twice', async () => {
    fixture = await createFixture(3);
    const events = times(50, () => anEvent());
    await fixture.publish(...events);
    const first = fixture.start();
    await until('all events are committed', async () => (await fixture.committed()) === 50);
    await first.stop();
    await fixture.reset();
    const [more] = [anEvent()];
    await fixture.publish(more);
    const second = fixture.start();
    await until('all events are committed again', async () => (await fixture.committed()) === 51);
    await second.stop();
    expect((await fixture.handled()).sort()).toEqual([...events, more].map(({ id }) => id).sort());
  });

  it('advance past repeated events, which are handled once within and across chunks', async () => {
    fixture = await createFixture();
    const event = anEvent();
    await fixture.publish(event, event);
    fixture.start();
    await until('both messages are committed', async () => (await fixture.committed()) === 2);
    await fixture.publish(event);
    await until('the third message is committed', async () => (await fixture.committed()) === 3);
    expect(await fixture.handled()).toEqual([event.id]);
  });
});

describe('consumer', () => {
  it('skips unknown kinds without parsing them and ignores unknown fields', async () => {
    fixture = await createFixture();
    const known = anEvent();
    const richer = { ...known, payload: JSON.stringify({ ...JSON.parse(known.payload), colour: 'red', more: [{}] }) };
    await fixture.send(
      { key: 'x', value: 'not even JSON', headers: { ce_type: 'OrderCreatedV2' } },
      { key: 'x', value: null, headers: { ce_type: '__proto__', ce_id: randomUUID() } },
      { ...rawOf(anEvent()), headers: { ce_id: randomUUID(), ce_type: 'OrderShipped' } },
      rawOf(richer),
    );
    fixture.start();
    await until('all events are committed', async () => (await fixture.committed()) === 4);
    expect(await fixture.handled()).toEqual([known.id]);
    expect(await fixture.deadLetters()).toEqual([]);
  });
});
