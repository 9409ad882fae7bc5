import { randomUUID } from 'node:crypto';
import { deleteOldEventIds } from '@store/shared/messaging/consumer/processed-events';
import { readDeadLetters } from '@store/shared/messaging/dead-letters/dead-letters';
import { auditOf } from '@store/shared/messaging/dead-letters/records';
import { redrive } from '@store/shared/messaging/dead-letters/redrive';
import type { Message } from 'kafkajs';
import { type KyselyPlugin, sql } from 'kysely';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { until } from '../../../../tests/kit/until.ts';
import { broken, command, deadLetteredEvents, forgetGroups } from './_dead-letters.ts';
import { anEvent, createFixture, type Fixture, kafka, rawOf, silent } from './_fixture.ts';

// A decision about a dead letter is made once, and remembered.

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture(3);
});

afterEach(() => fixture.close());

const run = (...argv: string[]) => command(fixture, argv);
const idsOf = async () => (await fixture.deadLetters()).map(({ id }) => id);
const trail = async () =>
  (await auditOf(fixture.kysely, fixture.group)).map(({ letterId, outcome, reason, requestedBy }) => ({
    id: letterId,
    outcome,
    reason,
    by: requestedBy,
  }));

describe('a dead letter that was redriven', () => {
  it('does not come back when Kafka forgets offsets and the ids of processed events are deleted', async () => {
    await deadLetteredEvents(fixture, 3);
    expect((await run('redrive')).text).toContain('3 redriven');
    await forgetGroups(fixture);
    await sql`delete from processed_events`.execute(fixture.kysely);
    expect((await run('list')).text).toContain('No dead letters');
    expect((await run('redrive')).text).toContain('0 redriven');
    expect(await fixture.handled()).toHaveLength(3);
  });

  it('leaves no offsets in Kafka that could be forgotten', async () => {
    await deadLetteredEvents(fixture, 1);
    await run('redrive');
    const { groups } = await fixture.withAdmin((admin) => admin.listGroups());
    const names = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(fixture.group));
    expect(names).toEqual([fixture.group]);
  });

  it('is in the audit trail, with who and when', async () => {
    await deadLetteredEvents(fixture, 1);
    const [id] = await idsOf();
    await command(fixture, ['redrive', '--by', 'ann'], { group: fixture.consumerGroup(broken) });
    await run('redrive', '--by', 'ben');
    expect(await trail()).toEqual([
      { id, outcome: 'FAILED', reason: 'broken:\nline 2', by: 'ann' },
      { id, outcome: 'REDRIVEN', reason: null, by: 'ben' },
    ]);
    const { text } = await run('audit');
    expect(text).toMatch(
      new RegExp(`${id}  failed at 2\\S+Z by ann: broken: line 2\n${id}  redriven at 2\\S+Z by ben$`),
    );
    expect((await run('audit', '--id', '7a3b0c1e-0000-8000-8000-000000000000')).text).toContain('Nothing was');
  });
});

describe('a dead letter that was discarded', () => {
  it('is never handled: not by a redrive of all, nor by one of its id, nor after everything is forgotten', async () => {
    const events = await deadLetteredEvents(fixture, 3);
    const [first = '', ...others] = await idsOf();
    const discarded = await run('discard', '--id', first, '--reason', 'sent twice', '--by', 'ann');
    expect(discarded).toMatchObject({ code: 0, text: expect.stringContaining('1 discarded') });
    expect((await idsOf()).sort()).toEqual(others.sort());
    await forgetGroups(fixture);
    await sql`delete from processed_events`.execute(fixture.kysely);
    expect((await run('redrive')).text).toContain('2 redriven');
    const again = await run('redrive', '--id', first);
    expect(again.text).toMatch(/had been discarded at \S+ by ann: sent twice/);
    expect(again.code).toBe(1);
    expect(await fixture.handled()).toHaveLength(events.length - 1);
    // The same request again is no failure, and no second decision.
    expect(await run('discard', '--id', first, '--reason', 'again')).toMatchObject({ code: 0 });
    expect((await trail()).filter(({ id }) => id === first)).toEqual([
      { id: first, outcome: 'DISCARDED', reason: 'sent twice', by: 'ann' },
    ]);
  });
});

it('one or some are selected by id, and an unknown id is named before anything is done', async () => {
  await deadLetteredEvents(fixture, 4);
  const [a = '', b = '', c = ''] = await idsOf();
  expect((await run('redrive', '--id', a)).text).toContain('1 redriven');
  expect((await run('redrive', '--id', a, b, '--id', c.toUpperCase())).text).toContain('2 redriven');
  expect(await fixture.handled()).toHaveLength(3);
  const unknown = '7a3b0c1e-0000-8000-8000-000000000000';
  const [last = ''] = await idsOf();
  for (const argv of [['redrive'], ['discard', '--reason', 'x']]) {
    const { code, text } = await run(...argv, '--id', last, unknown);
    expect(text).toContain(`${fixture.group} has no dead letter ${unknown}.`);
    expect(text).not.toContain('Giving up');
    expect(code).toBe(1);
  }
  expect(await idsOf()).toEqual([last]);
});

it('a dry run says what would be done and changes nothing', async () => {
  await deadLetteredEvents(fixture, 2);
  await fixture.send({ key: 'k', value: '{', headers: { ce_type: 'OrderCancelled' } });
  const consumer = fixture.start();
  await until('the poison is a dead letter', async () => (await fixture.committed()) === 3);
  await consumer.stop();
  const before = await fixture.deadLetters();
  const tables = async () => ({
    letters: (await sql`select * from dead_letters order by id`.execute(fixture.kysely)).rows,
    trail: await trail(),
  });
  const rows = await tables();
  expect(rows.letters).toHaveLength(3);
  const all = await run('redrive', '--dry-run');
  expect(all.text.match(/would handle it: 1 row added to handled_events/g)).toHaveLength(2);
  expect(all.text).toMatch(/would fail again: The message is not valid JSON/);
  const some = await run('discard', '--id', String(before[0]?.id), '--reason', 'x', '--dry-run');
  expect(some).toMatchObject({ code: 0, text: expect.stringContaining('would be discarded') });
  expect(await fixture.deadLetters()).toEqual(before);
  expect(await fixture.handled()).toEqual([]);
  expect(await tables()).toEqual(rows);
});

describe('at once', () => {
  it('two redrives and the group itself handle each dead letter once', async () => {
    const events = await deadLetteredEvents(fixture, 20);
    await fixture.reset(); // so that the group itself reads the events again
    const consumer = fixture.start();
    const results = await Promise.all([run('redrive', '--by', 'ann'), run('redrive', '--by', 'ben')]);
    for (const { text } of results) expect(text).not.toContain('Giving up');
    await fixture.has(...events);
    await consumer.stop();
    expect(await fixture.handled()).toHaveLength(20);
    expect(await fixture.deadLetters()).toEqual([]);
    expect((await trail()).map(({ outcome }) => outcome)).toEqual(events.map(() => 'REDRIVEN'));
  });

  it('a discard and a redrive that is handling the letter: the second one finds it decided', async () => {
    await deadLetteredEvents(fixture, 1);
    const [id = ''] = await idsOf();
    const handling = deferred();
    const released = deferred();
    const group = fixture.consumerGroup(async () => {
      handling.resolve();
      await released.promise;
    });
    const redriving = command(fixture, ['redrive', '--by', 'ann'], { group });
    await handling.promise;
    const discarding = run('discard', '--id', id, '--reason', 'x');
    await until('the discard waits for the letter', async () => {
      const waiting = sql<{ count: number }>`select count(*)::int from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return (await waiting.execute(fixture.kysely)).rows[0]?.count === 1;
    }).finally(released.resolve);
    expect(await redriving).toMatchObject({ code: 0, text: expect.stringContaining('1 redriven') });
    expect(await discarding).toMatchObject({ code: 1, text: expect.stringMatching(/had been redriven at \S+ by ann/) });
    expect(await fixture.handled()).toHaveLength(1);
    expect(await trail()).toHaveLength(1);
  });
});

describe('a process that dies', () => {
  /** Fails instead of the statement with this number, and of all that follow. */
  const dyingAt = (number: number): KyselyPlugin & { count: number } => ({
    count: 0,
    transformQuery({ node }) {
      this.count += 1;
      if (this.count >= number) throw Object.assign(new Error('died'), { code: 'ECONNRESET' });
      return node;
    },
    transformResult: async ({ result }) => result,
  });

  it('before any statement of a redrive leaves the dead letter open, and the next redrive handles it once', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    const redriveOn = (dying: KyselyPlugin, onResult = () => {}) => {
      const processor = fixture.processorOf(fixture.consumerGroup(), fixture.kysely.withPlugin(dying));
      return redrive({ kafka, ...processor, by: 'ann', onResult });
    };
    for (let number = 1; number <= 4; number += 1) {
      await expect(redriveOn(dyingAt(number))).rejects.toThrow('died');
      expect(await idsOf()).toHaveLength(1);
      expect(await fixture.handled()).toEqual([]);
      expect(await trail()).toEqual([]);
    }
    const last = dyingAt(5); // after what is known, the claim, the ids of the events and the handler: no more statements
    const dies = () => {
      throw new Error('died before it said so');
    };
    await expect(redriveOn(last, dies)).rejects.toThrow('died before it said so');
    expect(last.count).toBe(4);
    expect(await fixture.handled()).toEqual([event?.id]);
    expect((await run('redrive')).text).toContain('0 redriven');
    expect(await fixture.handled()).toHaveLength(1);
  });

  it('after it has written a dead letter writes it again, and it is one letter', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    await fixture.reset();
    const consumer = fixture.start(broken, { retry: { attempts: 1, firstDelayMs: 1, multiplier: 1 } });
    const written: string[] = [];
    await until('it is there twice', async () => {
      written.length = 0;
      await readDeadLetters(kafka, ({ group, id }) => void (group === fixture.group && written.push(id)));
      return written.length === 2;
    });
    await consumer.stop();
    expect(await idsOf()).toEqual(written.slice(1));
    expect((await run('redrive')).text).toContain('1 redriven');
    expect(await fixture.deadLetters()).toEqual([]);
    expect(await fixture.handled()).toEqual([event?.id]);
  });
});

describe('the id of a processed event', () => {
  const deleteOld = () => deleteOldEventIds(fixture.kysely, silent, fixture.topic);
  const age = () => sql`update processed_events set processed_at = now() - interval '31 days'`.execute(fixture.kysely);
  const idCount = async () => (await fixture.kysely.selectFrom('processed_events').selectAll().execute()).length;

  it('is kept as long as an open dead letter has its event, which is therefore not handled twice', async () => {
    const [event = anEvent()] = await deadLetteredEvents(fixture, 1);
    await fixture.reset();
    const consumer = fixture.start();
    await fixture.has(event);
    await consumer.stop();
    await age();
    expect(await deleteOld()).toBe(0);
    expect((await run('redrive')).text).toContain('1 redriven');
    expect(await fixture.handled()).toEqual([event.id]);
    expect(await deleteOld()).toBe(1);
  });

  it('is kept as long as the topic holds events of its age', async () => {
    const topic = `test-${randomUUID()}`;
    const configEntries = [{ name: 'retention.ms', value: '-1' }];
    await fixture.withAdmin((admin) =>
      admin.createTopics({ topics: [{ topic, configEntries }], waitForLeaders: true }),
    );
    const old = { ...rawOf(anEvent()), timestamp: String(Date.now() - 45 * 24 * 60 * 60 * 1000) };
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic, messages: [old as Message] }).finally(producer.disconnect);
    await sql`insert into processed_events select 'g', gen_random_uuid(), now() - make_interval(days => days)
      from unnest(array[29, 31, 59, 61]) days`.execute(fixture.kysely);
    expect(await deleteOldEventIds(fixture.kysely, silent, topic)).toBe(1);
    expect(await idCount()).toBe(3);
    expect(await deleteOld()).toBe(2);
  });
});
