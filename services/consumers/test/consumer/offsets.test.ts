import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture, held, rawOf, times } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

describe('offsets', () => {
  it('are committed after the effect, not before', async () => {
    fixture = await createFixture();
    const proxy = held();
    const event = anEvent();
    await fixture.publish(event);
    let begun = false;
    fixture.start(async () => {
      begun = true;
      await proxy.until;
    });
    await until('the handler has begun', () => begun);
    await wait(500); // longer than the client holds a batch
    expect({ committed: await fixture.committed(), effects: await fixture.effects() }).toEqual({
      committed: 0,
      effects: [],
    });
    proxy.release();
    await until('the offset is committed', async () => (await fixture.committed()) === 1);
    expect(await fixture.effects()).toEqual([event.id]);
  });

  it('set back bring events again and no effect', async () => {
    fixture = await createFixture(3);
    const events = times(50, () => anEvent());
    await fixture.publish(...events);
    const first = fixture.start();
    await until('all are committed', async () => (await fixture.committed()) === 50);
    await first.stop();
    await fixture.reset();
    const [more] = [anEvent()];
    await fixture.publish(more);
    const second = fixture.start();
    await until('all are committed again', async () => (await fixture.committed()) === 51);
    await second.stop();
    expect((await fixture.effects()).sort()).toEqual([...events, more].map(({ id }) => id).sort());
  });

  it('of an event that was published twice move on, with one effect, in one chunk or in two', async () => {
    fixture = await createFixture();
    const event = anEvent();
    await fixture.publish(event, event);
    fixture.start();
    await until('both are committed', async () => (await fixture.committed()) === 2);
    await fixture.publish(event);
    await until('the third is committed', async () => (await fixture.committed()) === 3);
    expect(await fixture.effects()).toEqual([event.id]);
  });
});

describe('kinds and fields', () => {
  it('unknown kinds are skipped unread, unknown fields do not matter', async () => {
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
    await until('all are committed', async () => (await fixture.committed()) === 4);
    expect(await fixture.effects()).toEqual([known.id]);
    expect(await fixture.letters()).toEqual([]);
  });
});
