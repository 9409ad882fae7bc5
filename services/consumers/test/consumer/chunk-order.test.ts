import { randomUUID } from 'node:crypto';
import type { DeliveredEvent } from '@store/shared/messaging/consumer/handle-once';
import { receivedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { anEvent, createFixture, type Fixture } from './_fixture.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

const idsOf = (events: DeliveredEvent[]) => events.map(({ event }) => event.id);

describe('events that are processed together', () => {
  it('share a transaction unless they are of one order; the next of an order finds the one before committed', async () => {
    const [tea, salt] = [randomUUID(), randomUUID()];
    const events = [tea, salt, tea, tea, salt].map((orderId) => anEvent(orderId));
    const [tea1, salt1, tea2, tea3, salt2] = events.map(({ id }) => id);
    const prepared: unknown[] = [];
    const handled: unknown[] = [];
    const group = fixture.consumerGroup();
    const processor = fixture.processorOf({
      ...group,
      async prepare(delivered) {
        prepared.push([idsOf(delivered), await fixture.handled()]);
        return idsOf(delivered);
      },
      async handle(fresh, tx, refuse) {
        handled.push(fresh.map(({ event, prepared }) => [event.id, prepared]));
        await group.handle(fresh, tx, refuse);
      },
    });
    await processor.process(events.map(receivedEvent));
    const rounds = [[tea1, salt1], [tea2, salt2], [tea3]];
    expect(handled).toEqual(rounds.map((ids) => ids.map((id) => [id, id])));
    expect(prepared).toEqual(rounds.map((ids, index) => [ids, rounds.slice(0, index).flat()]));
  });

  it('are recorded without deadlocks by consumers that were handed them in different orders', async () => {
    const processor = fixture.processorOf({ ...fixture.consumerGroup(), handle: async () => undefined });
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 1_000 }, () => receivedEvent(anEvent()));
      await Promise.all([processor.process(events), processor.process([...events].reverse())]);
    }
  });
});
