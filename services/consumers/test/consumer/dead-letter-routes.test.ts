import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import type { NewEvent, Refuse } from '@store/shared/messaging/consumer/group';
import { consumerMetrics } from '@store/shared/messaging/consumer/metrics';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { describeContract } from '../../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl } from '../../../../tests/kit/postgres/database.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { broken, deadLetteredEvents, operator, path, replica, unknownId } from './_dead-letters.ts';
import { useFixture } from './_fixture.ts';

// Dead letters over HTTP (contract 4.13).

describe('the contract of dead letters', () => {
  const fixture = useFixture(1, 'all');
  const unreachable = openDatabase(PrismaClient, unreachableDatabaseUrl);
  afterAll(() => unreachable.close());
  let first = '';
  // A service does not query its database unless its group has a letter.
  beforeAll(async () => {
    await deadLetteredEvents(fixture, 2);
    [first = ''] = await operator(fixture).ids();
  });
  const of = (id: string) => ({ body: { ids: [id], by: 'ann', reason: 'x' } });
  const unreachableReplica = () => replica(fixture, { database: unreachable });

  describeContract({
    // Used only for the OpenAPI document; requests go to the application.
    routes: deadLetterRoutes({ group: {} } as never, {} as never),
    app: () => replica(fixture),
    unavailableApp: unreachableReplica,
    restrictedApp: () => replica(fixture, { credentials: [newCredential()] }),
    calls: {
      'get /internal/dead-letters': { 200: {}, 400: { path: `${path}?orderId=1` } },
      'get /internal/dead-letters/count': { 200: {} },
      'get /internal/audit': { 200: {}, 400: { path: '/internal/audit?after=x' } },
      'get /internal/dead-letters/audit': { 200: {} },
      'get /internal/dead-letters/{id}': {
        200: async () => ({ path: `${path}/${(await operator(fixture).ids())[0]}` }),
        404: { path: `${path}/${unknownId}` },
      },
      'post /internal/dead-letters/redrive': { 200: () => of(first), 400: of('x'), 404: of(unknownId) },
      'post /internal/dead-letters/discard': { 200: () => of(first), 400: of('x'), 404: of(unknownId) },
    },
  });
});

describe('the routes of dead letters', () => {
  const fixture = useFixture(3);
  const [ann, ben] = [operator(fixture), operator(fixture, 'ben')];

  it('list a letter with its content and error, and record who redrives it', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    const letter = {
      eventId: event?.id,
      kind: 'OrderCancelled',
      orderId: event?.key,
      attempts: 2,
      error: 'broken:\nline 2',
      value: event?.payload,
      origin: expect.stringMatching(new RegExp(`^${fixture.topic} \\d:\\d+$`)),
    };
    expect(await ann.list()).toMatchObject({ group: fixture.group, total: 1, letters: [letter] });
    const ids = await ann.ids();
    const failing = fixture.consumerGroup(() => Promise.reject(new Error('broken in another way\0')));
    const failed = await ann.redrive(ids, { group: failing }).expect(200);
    expect(failed.body.results).toMatchObject([{ id: ids[0], outcome: 'FAILED' }]);
    expect((await ann.list()).letters).toMatchObject([{ ...letter, attempts: 3, error: 'broken in another way' }]);
    const done = await ben.redrive(ids).expect(200);
    expect(done.body.results).toEqual([{ id: ids[0], outcome: 'REDRIVEN' }]);
    expect(await ann.list()).toMatchObject({ total: 0, letters: [] });
    expect(await fixture.handled()).toEqual([event?.id]);
    expect(await ann.trail()).toMatchObject([
      { outcome: 'FAILED', requestedBy: 'ann' },
      { outcome: 'REDRIVEN', requestedBy: 'ben' },
    ]);
    const changes = await request(replica(fixture)).get(`/internal/audit?subject=${ids[0]}`).expect(200);
    const [before, { group }] = [{ group: fixture.group, status: 'OPEN' }, fixture];
    const reason = 'broken in another way';
    expect(changes.body).toMatchObject([
      { actor: 'operator ben', kind: 'dead letter', before, after: { group, status: 'REDRIVEN', outcome: 'REDRIVEN' } },
      { actor: 'operator ann', before, after: { group, status: 'OPEN', outcome: 'FAILED', reason } },
    ]);
  });

  it('return a letter with its headers and its whole value until it is decided', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    const [id = ''] = await ann.ids();
    const one = () => request(replica(fixture)).get(`${path}/${id}`);
    const { body } = await one().expect(200);
    expect(body).toMatchObject({ id, eventId: event?.id, value: event?.payload, headers: { ce_id: event?.id } });
    expect(Object.keys(body.headers).filter((name) => name.startsWith('dlq_'))).toEqual([]);
    await ann.discard([id]).expect(200);
    await one().expect(404);
  });

  it('say in a dry run what the handler would do, or that this is unknown, and change nothing', async () => {
    const [event] = await deadLetteredEvents(fixture, 1);
    const [ids, before] = [await ann.ids(), await ann.list()];
    const { group } = fixture;
    const dry = async (consumer = fixture.consumerGroup()) =>
      (await ann.redrive(ids, { group: consumer }, { dryRun: true }).expect(200)).body.results;
    expect(await dry()).toEqual([
      { id: ids[0], outcome: 'REDRIVEN', effect: `${group} would handle it: 1 row added to handled_events.` },
    ]);
    expect(await dry(fixture.consumerGroup(broken))).toEqual([
      { id: ids[0], outcome: 'FAILED', error: 'broken:\nline 2' },
    ]);
    const refusing = {
      handle: async ([first]: NewEvent[], _: unknown, refuse: Refuse) => refuse((first as NewEvent).event, 'No.'),
    };
    expect(await dry(fixture.consumerGroup(undefined, 'a', refusing as never))).toMatchObject([
      { outcome: 'REDRIVEN', effect: `${group} would change nothing. It would refuse the event: No.` },
    ]);
    const prepare = () => Promise.reject(new Error('must not be called'));
    expect(await dry(fixture.consumerGroup(undefined, 'a', { prepare }))).toEqual([
      {
        id: ids[0],
        outcome: 'UNKNOWN',
        effect: `Unknown: ${group} calls other services before it changes anything, and a dry run does not.`,
      },
    ]);
    expect(await dry(fixture.consumerGroup(undefined, 'a', { kinds: ['OrderPaid'] }))).toMatchObject([
      { outcome: 'REDRIVEN', effect: `${group} skips this kind: it would do nothing.` },
    ]);
    const discarding = await ann.discard(ids, { dryRun: true }).expect(200);
    expect(discarding.body.results).toMatchObject([{ outcome: 'DISCARDED' }]);
    expect(await fixture.handled()).toEqual([]);
    await fixture.database.prisma.processedEvent.create({ data: { consumerGroup: group, eventId: event?.id ?? '' } });
    expect(await dry()).toMatchObject([
      { outcome: 'REDRIVEN', effect: `${group} has processed this event before: it would do nothing.` },
    ]);
    expect(await ann.trail()).toEqual([]);
    expect(await ann.list()).toEqual(before);
  });

  it('list all letters of an order with their decisions, and count the open letters', async () => {
    const [first, second] = await deadLetteredEvents(fixture, 2);
    const open = async () => (await request(replica(fixture)).get(`${path}/count`).expect(200)).body;
    const ofOrder = async (id = '') => (await request(replica(fixture)).get(`${path}?orderId=${id}`).expect(200)).body;
    expect(await open()).toEqual({ group: fixture.group, open: 2 });
    const [letter] = (await ofOrder(first?.key)).letters;
    expect(letter).toMatchObject({ eventId: first?.id, orderId: first?.key, decisions: [] });
    await ann.discard([letter.id]).expect(200);
    expect(await ofOrder(first?.key)).toMatchObject({
      total: 1,
      letters: [{ id: letter.id, decisions: [{ outcome: 'DISCARDED', requestedBy: 'ann', reason: 'sent twice' }] }],
    });
    expect((await ann.list()).letters).toMatchObject([{ eventId: second?.id }]);
    expect(await open()).toEqual({ group: fixture.group, open: 1 });
    expect(await ofOrder(randomUUID())).toMatchObject({ total: 0, letters: [] });
  });

  it('count each decision once, and no dry run', async () => {
    await deadLetteredEvents(fixture, 3);
    const ids = await ann.ids();
    await ann.redrive(ids, {}, { dryRun: true }).expect(200);
    await ann.redrive(ids.slice(0, 1), { group: fixture.consumerGroup(broken) }).expect(200);
    for (const operator of [ann, ben]) await operator.redrive(ids.slice(0, 2)).expect(200);
    await ben.discard(ids).expect(200);
    const { values } = await consumerMetrics.decided.get();
    const own = values.filter(({ labels }) => labels.group === fixture.group);
    const counts = { failed: 1, redriven: 2, discarded: 1 };
    expect(Object.fromEntries(own.map(({ labels, value }) => [labels.outcome, value]))).toEqual(counts);
  });
});
