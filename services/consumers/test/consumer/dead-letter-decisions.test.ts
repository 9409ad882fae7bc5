import { type Sql, type Statements, sql } from '@store/shared/database/sql';
import { deleteOldEventIds } from '@store/shared/messaging/consumer/processed-events';
import { type Result, redrive } from '@store/shared/messaging/consumer/redrive';
import { readDeadLetters } from '@store/shared/messaging/dead-letters/dead-letters';
import type { Message } from 'kafkajs';
import { createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { until } from '../../../../tests/kit/until.ts';
import { broken, deadLetteredEvents, forgetGroups, operator } from './_dead-letters.ts';
import { anEvent, kafka, rawOf, silent, useFixture } from './_fixture.ts';

// Each dead letter is decided once, and the decision is kept.

const fixture = useFixture(3);
const ann = operator(fixture);

describe('a dead letter', () => {
  it('stays decided after Kafka deletes offsets and the ids of processed events are deleted', async () => {
    await deadLetteredEvents(fixture, 3);
    const [discarded = '', redriven = '', open = ''] = await ann.ids();
    await ann.discard([discarded]).expect(200);
    await ann.redrive([redriven]).expect(200);
    await forgetGroups(fixture);
    await fixture.database.run(sql`delete from processed_events`);
    expect(await ann.redriveAll()).toEqual(['REDRIVEN']);
    // Repeating the same request makes no second decision.
    for (const again of [ann.redrive([discarded, redriven]), ann.discard([discarded, redriven])]) {
      const { body } = await again.expect(200);
      const outcomes = body.results.map(({ outcome, decision }: Result) => `${outcome} ${decision?.outcome}`);
      expect(outcomes.sort()).toEqual(['DECIDED DISCARDED', 'DECIDED REDRIVEN']);
    }
    expect(await fixture.handled()).toHaveLength(2);
    const decided = (await ann.trail()).map(({ letterId }: { letterId: string }) => letterId);
    expect(decided).toEqual([discarded, redriven, open]);
  });

  it('accepts a discard reason of the maximum length, whatever characters it has', async () => {
    await deadLetteredEvents(fixture, 2);
    const [first = '', second = ''] = await ann.ids();
    const reasons = [`${'x'.repeat(999)}🍵`, '🍵'.repeat(1_000)];
    await ann.discard([first], { reason: reasons[0] }).expect(200);
    await ann.discard([second], { reason: reasons[1] }).expect(200);
    expect((await ann.trail()).map(({ reason }: { reason: string }) => reason)).toEqual(reasons);
  });

  it('has an error and a value that are cut between characters, also after a failed redrive', async () => {
    const tea = async () => {
      throw new Error(`${'x'.repeat(999)}🍵🍵`);
    };
    const before = anEvent().payload.indexOf('why not');
    await fixture.publish(anEvent(undefined, undefined, { reason: `${'x'.repeat(3_999 - before)}🍵🍵` }));
    const consumer = fixture.start(tea, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
    await until('it is a dead letter', async () => (await fixture.committed()) === 1);
    await consumer.stop();
    const error = `${'x'.repeat(999)}🍵`;
    const { letters } = await ann.list();
    expect(letters).toEqual([expect.objectContaining({ error, value: expect.stringMatching(/🍵$/u) })]);
    expect([...letters[0].value]).toHaveLength(4_000);
    const { body } = await ann.redrive([letters[0].id], { group: fixture.consumerGroup(tea) }).expect(200);
    expect(body.results).toEqual([expect.objectContaining({ outcome: 'FAILED' })]);
    expect(await ann.trail()).toEqual([expect.objectContaining({ outcome: 'FAILED', reason: error })]);
  });

  it('leaves no offsets of a redrive in Kafka', async () => {
    await deadLetteredEvents(fixture, 1);
    await ann.redriveAll();
    const { groups } = await fixture.withAdmin((admin) => admin.listGroups());
    const names = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(fixture.group));
    expect(names).toEqual([fixture.group]);
  });

  it('is handled once if two redrives and the group race, and the later redrive gets the decision of the earlier', async () => {
    const events = await deadLetteredEvents(fixture, 20);
    const ids = await ann.ids();
    await fixture.reset(); // so that the group itself reads the events again
    const consumer = fixture.start();
    const answers = await Promise.all([
      ann.redrive(ids).expect(200),
      operator(fixture, 'ben').redrive(ids).expect(200),
    ]);
    await fixture.has(...events);
    await consumer.stop();
    expect(await fixture.handled()).toHaveLength(20);
    expect(await fixture.deadLetters()).toEqual([]);
    const results = answers.flatMap(({ body }) => body.results);
    const redriven = results.filter(({ outcome }) => outcome === 'REDRIVEN');
    expect(redriven.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const decision = { outcome: 'REDRIVEN', requestedBy: expect.stringMatching(/ann|ben/) };
    expect(results.filter((result) => !redriven.includes(result))).toMatchObject(ids.map(() => ({ decision })));
    expect((await ann.trail()).map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      events.map(() => 'REDRIVEN'),
    );
  });
});

describe('a process that dies', () => {
  /** A database that fails from the statement with this number on. */
  function dyingAt(number: number) {
    const sent: Sql[] = [];
    const dying = ({ run }: Statements): Statements => ({
      async run(statement) {
        sent.push(statement);
        if (sent.length >= number) throw Object.assign(new Error('died'), { code: 'ECONNRESET' });
        return run(statement);
      },
    });
    const { database } = fixture;
    const inTransaction: typeof database.inTransaction = (work) =>
      database.inTransaction((tx) => work(Object.create(tx, { run: { value: dying(tx).run } })));
    return { sent, ...dying(database), inTransaction };
  }

  it('before any statement of a redrive leaves the dead letter open, and the next redrive handles it once', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    const ids = await ann.ids();
    const redriveOn = (database: ReturnType<typeof dyingAt>) =>
      redrive({ broker: silent, group: fixture.consumerGroup(), database }, { ids, by: 'ann' });
    for (let number = 1; number <= 4; number += 1) {
      await expect(redriveOn(dyingAt(number))).rejects.toThrow('died');
      expect(await ann.ids()).toHaveLength(1);
      expect(await fixture.handled()).toEqual([]);
      expect(await ann.trail()).toEqual([]);
    }
    const last = dyingAt(5); // A redrive sends only four statements: known state, claim, event ids, handler.
    await redriveOn(last);
    expect(last.sent).toHaveLength(4);
    expect(await fixture.handled()).toEqual([event?.id]);
    expect((await ann.redrive(ids).expect(200)).body.results).toMatchObject([{ outcome: 'DECIDED' }]);
    expect(await fixture.handled()).toHaveLength(1);
  });

  it('after it wrote a dead letter makes the next process write it again, and both copies count as one letter', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    await fixture.reset();
    const consumer = fixture.start(broken, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
    const written: string[] = [];
    await until('the dead letter is there twice', async () => {
      written.length = 0;
      await readDeadLetters(silent, ({ group, id }) => void (group === fixture.group && written.push(id)));
      return written.length === 2;
    });
    await consumer.stop();
    expect(await ann.ids()).toEqual(written.slice(1));
    expect(await ann.redriveAll()).toEqual(['REDRIVEN']);
    expect(await fixture.deadLetters()).toEqual([]);
    expect(await fixture.handled()).toEqual([event?.id]);
  });
});

describe('the id of a processed event', () => {
  const deleteOld = () => deleteOldEventIds(fixture.database, silent, [fixture.topic]);
  const age = () => fixture.database.run(sql`update processed_events set processed_at = now() - interval '31 days'`);

  it('is kept while an open dead letter has its event, so that the event is not handled twice', async () => {
    const [event = anEvent()] = await deadLetteredEvents(fixture, 1);
    await fixture.reset();
    const consumer = fixture.start();
    await fixture.has(event);
    await consumer.stop();
    await age();
    expect(await deleteOld()).toBe(0);
    expect(await ann.redriveAll()).toEqual(['REDRIVEN']);
    expect(await fixture.handled()).toEqual([event.id]);
    expect(await deleteOld()).toBe(1);
  });

  it('is kept while the topic holds events of its age', async () => {
    const topic = await createTopic(1, [{ name: 'retention.ms', value: '-1' }]);
    const old = { ...rawOf(anEvent()), timestamp: String(Date.now() - 45 * 24 * 60 * 60 * 1000) };
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic, messages: [old as Message] }).finally(producer.disconnect);
    await fixture.database.run(sql`
      insert into processed_events select 'g', gen_random_uuid(), now() - make_interval(days => days)
      from unnest(array[29, 31, 59, 61]) days`);
    expect(await deleteOldEventIds(fixture.database, silent, [topic])).toBe(1);
    expect(await fixture.database.prisma.processedEvent.count()).toBe(3);
    expect(await deleteOld()).toBe(2);
  });

  it('is deleted without reading the ids that are kept', async () => {
    const { run } = fixture.database;
    await run(sql`
      insert into processed_events select 'g', gen_random_uuid(), now() - make_interval(mins => n)
      from generate_series(1, 50000) n order by n desc`);
    await run(sql`analyze processed_events`);
    const deletion = await recordedStatement((database) => deleteOldEventIds(database, silent, [fixture.topic]));
    const plan = await run(sql`explain ${deletion}`);
    expect(JSON.stringify(plan)).not.toContain('Seq Scan on processed_events');
    expect(await deleteOld()).toBeGreaterThan(6_000);
  });
});
