import { openDatabase } from '@store/shared/database/database';
import type { Statements } from '@store/shared/database/sql';
import { listDeadLetters } from '@store/shared/messaging/consumer/redrive';
import { reportOpenLetters } from '@store/shared/messaging/dead-letters/records';
import { readTopic } from '@store/shared/messaging/kafka/read-topic';
import { register } from 'prom-client';
import { unreachableDatabaseUrl } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { broken, deadLetteredEvents, operator, unknownId } from './_dead-letters.ts';
import { anEvent, createFixture, rawOf, silent, times, useFixture } from './_fixture.ts';

const fixture = useFixture(3);
const ann = operator(fixture);

describe('a redrive', () => {
  it('handles the named letters once and keeps poison, but does nothing for an unknown id or without the database', async () => {
    const events = await deadLetteredEvents(fixture, 3);
    await fixture.send({ ...rawOf(anEvent()), value: '{' });
    const consumer = fixture.start(broken);
    await until('the poison is a dead letter', async () => (await fixture.committed()) === 4);
    await consumer.stop();
    const { group, consumerGroup, database } = fixture;
    const { letters, total } = await listDeadLetters(
      { broker: silent, group: consumerGroup(), database },
      { limit: 2 },
    );
    expect([letters.length, total]).toEqual([2, 4]);

    const [first = '', ...others] = await ann.ids();
    for (const refused of [ann.redrive([first, unknownId]), ann.discard([first, unknownId])]) {
      const { body } = await refused.expect(404);
      expect(body.detail).toBe(`${group} has no dead letter ${unknownId}.`);
    }
    const unreachable = openDatabase(PrismaClient, unreachableDatabaseUrl);
    fixture.onEnd(unreachable.close);
    await ann.redrive([first], { database: unreachable }).expect(503);
    expect([await fixture.handled(), await ann.ids()]).toEqual([[], [first, ...others]]);

    await ann.redrive([first.toUpperCase()]).expect(200);
    await ann.redrive(others).expect(200);
    expect((await fixture.handled()).sort()).toEqual(events.map(({ id }) => id).sort());
    expect(await fixture.deadLetters()).toMatchObject([{ attempts: 2, message: { value: '{' } }]);
  });

  it('does not touch the dead letters of other groups or any committed offset', async () => {
    await deadLetteredEvents(fixture, 2);
    const other = await createFixture();
    fixture.onEnd(other.close);
    await other.publish(anEvent());
    other.start(broken, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
    await until('its event is a dead letter', async () => (await other.committed()) === 1);
    const others = await other.deadLetters();
    expect(await ann.redriveAll()).toHaveLength(2);
    expect(await other.deadLetters()).toEqual(others);
    expect([await fixture.committed(), await other.committed()]).toEqual([2, 1]);
  });
});

// services/shared/test/compiled.test.ts covers that they are unavailable without a broker.
describe('dead letters', () => {
  it('are counted by the metric until they are decided, even while the database is unavailable', async () => {
    let isAway = false;
    const unreliable: Statements = {
      async run(statement) {
        if (isAway) throw new Error('away');
        return fixture.database.run(statement);
      },
    };
    reportOpenLetters(unreliable, fixture.group);
    const open = async () => (await register.getSingleMetric('dead_letters_open')?.get())?.values;
    const counted = (value: number) => [{ labels: { group: fixture.group }, value }];
    expect(await open()).toEqual(counted(0));

    await deadLetteredEvents(fixture, 3);
    expect(await open()).toEqual(counted(3));
    isAway = true;
    expect(await open()).toEqual(counted(3));
    isAway = false;

    const [first = '', ...others] = await ann.ids();
    await ann.discard([first]).expect(200);
    expect(await open()).toEqual(counted(2));
    await ann.redrive(others).expect(200);
    expect(await open()).toEqual(counted(0));
  });
});

describe('readTopic', () => {
  it('yields each message of the topic once, without messages that arrive meanwhile', async () => {
    await fixture.publish(...times(500, () => anEvent()));
    const seen: string[] = [];
    await readTopic(silent, fixture.topic, async (partition, { offset }) => {
      if (seen.length === 0) await fixture.publish(...times(30, () => anEvent()));
      seen.push(`${partition}:${offset}`);
    });
    expect([seen.length, new Set(seen).size]).toEqual([500, 500]);
  });

  it('rejects with the error of its callback', async () => {
    await fixture.publish(...times(30, () => anEvent()));
    const reading = readTopic(silent, fixture.topic, () => Promise.reject(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });
});
