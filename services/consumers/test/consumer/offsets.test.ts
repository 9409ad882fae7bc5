import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ConsumerGroup, DeliveredEvent } from '@store/shared/messaging/consumer/group';
import { processEvents } from '@store/shared/messaging/consumer/process';
import type { OrderEvent } from '@store/shared/messaging/events';
import { unavailable } from '@store/shared/values/errors';
import { receivedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { PrismaClient } from '../../src/generated/client.ts';
import { anEvent, rawOf, times, useFixture } from './_fixture.ts';

// tests/faults covers resets of offsets.
describe('consumer offsets', () => {
  const fixture = useFixture(3);

  it('are committed after the handler, not before', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const event = anEvent();
    await fixture.publish(event);
    let hasStarted = false;
    fixture.start(async () => {
      hasStarted = true;
      await released;
    });
    await until('the handler has started', () => hasStarted);
    await wait(500); // longer than the client holds a batch
    expect([await fixture.committed(), await fixture.handled()]).toEqual([0, []]);
    release();
    await until('the offset is committed', async () => (await fixture.committed()) === 1);
    expect(await fixture.handled()).toEqual([event.id]);
  });

  it('are not committed by a member that leaves while its handler fails, so the next member handles the event', async () => {
    const event = anEvent();
    await fixture.publish(event);
    const { promise: failure, reject: fail } = Promise.withResolvers<void>();
    let hasStarted = false;
    const leaving = fixture.start(() => {
      hasStarted = true;
      return failure;
    });
    await until('the handler has started', () => hasStarted);
    const left = leaving.stop();
    fail(unavailable('What it asks'));
    await left; // now it commits nothing more
    expect([await fixture.committed(), await fixture.handled()]).toEqual([0, []]);
    fixture.start();
    await fixture.has(event);
  });

  it('advance past repeated events, which are handled once within and across chunks', async () => {
    const event = anEvent();
    await fixture.publish(event, event);
    fixture.start();
    await until('both messages are committed', async () => (await fixture.committed()) === 2);
    await fixture.publish(event);
    await until('the third message is committed', async () => (await fixture.committed()) === 3);
    expect(await fixture.handled()).toEqual([event.id]);
  });

  it('skips unknown kinds without parsing them and ignores unknown fields', async () => {
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

const idsOf = (events: DeliveredEvent[]) => events.map(({ event }) => event.id);

describe('events that are processed together', () => {
  const fixture = useFixture();

  it('share a transaction unless they are of one order, whose next event finds the previous one committed', async () => {
    const [tea, salt] = [randomUUID(), randomUUID()];
    const events = [tea, salt, tea, tea, salt].map((orderId) => anEvent(orderId));
    const [tea1, salt1, tea2, tea3, salt2] = events.map(({ id }) => id);
    const prepared: unknown[] = [];
    const handled: unknown[] = [];
    const group = fixture.consumerGroup();
    const recording: ConsumerGroup<PrismaClient> = {
      ...group,
      async prepare(delivered) {
        prepared.push([idsOf(delivered), await fixture.handled()]);
        return idsOf(delivered);
      },
      async handle(fresh, tx, refuse) {
        handled.push(fresh.map(({ event, prepared }) => [event.id, prepared]));
        await group.handle(fresh, tx, refuse);
      },
    };
    await processEvents(recording, fixture.database, events.map(receivedEvent));
    const rounds = [[tea1, salt1], [tea2, salt2], [tea3]];
    expect(handled).toEqual(rounds.map((ids) => ids.map((id) => [id, id])));
    expect(prepared).toEqual(rounds.map((ids, index) => [ids, rounds.slice(0, index).flat()]));
  });

  it('are recorded without deadlocks by consumers that get them in different orders', async () => {
    const group = { ...fixture.consumerGroup(), handle: async () => undefined };
    const process = (events: OrderEvent[]) => processEvents(group, fixture.database, events);
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 1_000 }, () => receivedEvent(anEvent()));
      await Promise.all([process(events), process([...events].reverse())]);
    }
  });
});

// The handler that refuses an event still takes effect.
describe('an event that is refused', () => {
  const fixture = useFixture();
  const reason = 'There is no such product.';
  const refusing = (ids: string[]) => {
    const handle: ConsumerGroup<PrismaClient>['handle'] = async (events, tx, refuse) => {
      await fixture.consumerGroup().handle(events, tx, refuse);
      for (const { event } of events) if (ids.includes(event.id)) refuse(event, reason);
    };
    return { group: { handle } };
  };

  it.each([1, 20])('is a dead letter, and all %s events of its chunk are handled', async (count) => {
    const events = times(count, () => anEvent());
    const refused = events.slice(-1);
    await fixture.publish(...events);
    fixture.start(undefined, refusing(refused.map(({ id }) => id)));
    await until('all events are committed', async () => (await fixture.committed()) === count);
    expect(await fixture.handled()).toEqual(events.map(({ id }) => id));
    expect(await fixture.deadLetters()).toMatchObject([{ eventId: refused[0]?.id, error: reason, attempts: 1 }]);
  });

  it('is neither lost nor handled again if the process ends between the effect and the dead letter', async () => {
    const event = anEvent();
    await fixture.publish(event);
    const sender = { send: () => Promise.reject(unavailable('Kafka')) };
    const interrupted = fixture.start(undefined, { ...refusing([event.id]), sender });
    await fixture.has(event);
    await interrupted.stop();
    expect([await fixture.committed(), await fixture.deadLetters()]).toEqual([0, []]);

    const next = fixture.start(undefined, refusing([]));
    await until('it is committed', async () => (await fixture.committed()) === 1);
    await next.stop();
    expect(await fixture.deadLetters()).toMatchObject([{ eventId: event.id, error: reason }]);
    expect(await fixture.handled()).toEqual([event.id]);
  });
});
