import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createStage, held, rawOf, type Stage, times } from './_fixture.ts';

let stage: Stage;

afterEach(() => stage.close());

describe('offsets', () => {
  it('are committed after the effect, not before', async () => {
    stage = await createStage();
    const gate = held();
    const event = anEvent();
    await stage.publish(event);
    let begun = false;
    stage.start(async () => {
      begun = true;
      await gate.until;
    });
    await until('the handler has begun', () => begun);
    await wait(500); // longer than the client holds a batch
    expect({ committed: await stage.committed(), effects: await stage.effects() }).toEqual({
      committed: 0,
      effects: [],
    });
    gate.release();
    await until('the offset is committed', async () => (await stage.committed()) === 1);
    expect(await stage.effects()).toEqual([event.id]);
  });

  it('set back bring events again and no effect', async () => {
    stage = await createStage(3);
    const events = times(50, () => anEvent());
    await stage.publish(...events);
    const first = stage.start();
    await until('all are committed', async () => (await stage.committed()) === 50);
    await first.stop();
    await stage.reset();
    const [more] = [anEvent()];
    await stage.publish(more);
    const second = stage.start();
    await until('all are committed again', async () => (await stage.committed()) === 51);
    await second.stop();
    expect((await stage.effects()).sort()).toEqual([...events, more].map(({ id }) => id).sort());
  });

  it('of an event that was published twice move on, with one effect, in one chunk or in two', async () => {
    stage = await createStage();
    const event = anEvent();
    await stage.publish(event, event);
    stage.start();
    await until('both are committed', async () => (await stage.committed()) === 2);
    await stage.publish(event);
    await until('the third is committed', async () => (await stage.committed()) === 3);
    expect(await stage.effects()).toEqual([event.id]);
  });
});

describe('kinds and fields', () => {
  it('unknown kinds are skipped unread, unknown fields do not matter', async () => {
    stage = await createStage();
    const known = anEvent();
    const richer = { ...known, payload: JSON.stringify({ ...JSON.parse(known.payload), colour: 'red', more: [{}] }) };
    await stage.send(
      { key: 'x', value: 'not even JSON', headers: { ce_type: 'OrderCreatedV2' } },
      { key: 'x', value: null, headers: { ce_type: '__proto__', ce_id: randomUUID() } },
      { ...rawOf(anEvent()), headers: { ce_id: randomUUID(), ce_type: 'OrderShipped' } },
      rawOf(richer),
    );
    stage.start();
    await until('all are committed', async () => (await stage.committed()) === 4);
    expect(await stage.effects()).toEqual([known.id]);
    expect(await stage.letters()).toEqual([]);
  });
});
