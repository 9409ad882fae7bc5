import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { register } from 'prom-client';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { Session } from '../../src/live/session.ts';
import { alice, bob } from '../_app.ts';
import { beganStream, headersOf, type OpenStream, openStream, startReplica } from './_streams.ts';

const database = useDatabase('order');

describe('a stream', () => {
  let ended: Set<string>;
  let isAuthAway: boolean;
  let asked: Session[];
  /** The answer of auth waits for it. */
  let held: Promise<void>;

  beforeEach(() => {
    [ended, isAuthAway, asked, held] = [new Set(), false, [], Promise.resolve()];
  });

  async function sessionCheck(sessions: Session[]): Promise<Set<string>> {
    asked = sessions;
    await held;
    if (isAuthAway) throw unavailable('The auth service');
    return ended;
  }
  const replica = database.open((url) => startReplica(url, { sessionCheck }), 'each');

  it('ends with its session, or when that expires, and no other is opened for it', async () => {
    const id = randomUUID();
    const other = await beganStream(replica.url);
    const over = await beganStream(replica.url, { headers: headersOf(alice, { id }) });
    const expired = await beganStream(replica.url, { headers: headersOf(alice, { expiresInSeconds: 2 }) });
    ended.add(id);
    await until('both are over', () => over.isOver() && expired.isOver());
    expect(other.isOver()).toBe(false);
    for (const headers of [headersOf(alice, { id }), headersOf(alice, { expiresInSeconds: 0 })])
      expect((await openStream(replica.url, { headers })).status).toBe(401);
  });

  it('is counted as open from when its changes begin until it is over', async () => {
    const open = async () => (await register.getSingleMetric('order_streams_open')?.get())?.values[0]?.value;
    const { promise, resolve } = deferred();
    held = promise;
    const opening = beganStream(replica.url);
    await until('auth is asked', () => asked.length > 0);
    expect(await open()).toBe(0);
    resolve();
    const stream = await opening;
    expect(await open()).toBe(1);
    stream.break();
    await until('it is over', async () => (await open()) === 0);
  });

  it('names the key of its token to auth, so that it ends with that', async () => {
    const id = randomUUID();
    const isAsked = () => until('auth is asked', () => asked.length > 0);
    const stream = await beganStream(replica.url, { headers: headersOf(alice, { id, kid: 'of the key' }) });
    for (const _ of ['at its beginning', 'later']) {
      await isAsked();
      expect(asked).toMatchObject([{ id, accountId: alice, kid: 'of the key' }]);
      asked = [];
    }
    stream.break();
  });

  it.each([
    ['none', undefined],
    ["another account's", headersOf(bob).authorization],
    ['broken', 'Bearer x.y.z'],
  ])('with a token that is %s is 401', async (_, authorization) => {
    const headers = { 'id-account': alice, ...(authorization !== undefined && { authorization }) };
    expect((await openStream(replica.url, { headers })).status).toBe(401);
  });

  it('ends when auth cannot be asked for some seconds, and none is opened', async () => {
    const stream = await beganStream(replica.url);
    isAuthAway = true;
    const awayAt = performance.now();
    expect((await openStream(replica.url)).status).toBe(503);
    await until('it is over', () => stream.isOver());
    expect(performance.now() - awayAt).toBeGreaterThan(4_000);
  });

  it('ends when the process stops, and none is opened', async () => {
    const stream = await beganStream(replica.url);
    replica.endStreams?.();
    await until('it is over', () => stream.isOver());
    expect((await openStream(replica.url)).status).toBe(503);
  });

  it('is answered at once where HEAD asks for it', async () => {
    const answer = await fetch(`${replica.url}/orders/events`, { method: 'HEAD', headers: headersOf(alice) });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });
});

describe('how many are open', () => {
  const start = (maxStreams: number, streamsPerAddress = 0) => {
    const env = { STREAMS_PER_ADDRESS: String(streamsPerAddress) };
    return database.open((url) => startReplica(url, { maxStreams, env }));
  };
  const roomy = start(100);
  const full = start(8);
  const shared = start(100, 3);
  const fullAndShared = start(6, 5);

  const from = (accountId: string, address: string) => ({
    headers: { ...headersOf(accountId), 'x-envoy-external-address': address },
  });
  /** Streams that are opened one after another. */
  async function open(url: string, count: number, accountId: string, address = '192.0.2.1'): Promise<OpenStream[]> {
    const streams: OpenStream[] = [];
    for (let n = 0; n < count; n += 1) streams.push(await beganStream(url, from(accountId, address)));
    return streams;
  }
  const areOver = (streams: OpenStream[]) => streams.map((stream) => stream.isOver());

  it('is ten of an account at most', async () => {
    const streams = await open(roomy.url, 10, alice);
    const refused = await openStream(roomy.url);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
    expect((await openStream(roomy.url, { headers: headersOf(bob) })).status).toBe(200);
    streams[0]?.break();
    await until('there is room again', async () => (await openStream(roomy.url)).status === 200);
  });

  it('is limited: the oldest of the account that has most gives way, and cannot come back', async () => {
    const [ada, ben, cleo] = [randomUUID(), randomUUID(), randomUUID()];
    const many = await open(full.url, 5, ada);
    const some = await open(full.url, 3, ben);
    const few = await open(full.url, 1, cleo);
    await until('one has ended', () => areOver(many).includes(true));
    expect([areOver(many), areOver(some), areOver(few)]).toEqual([
      [true, false, false, false, false],
      [false, false, false],
      [false],
    ]);
    expect(many[0]?.isComplete()).toBe(true);
    expect((await openStream(full.url, from(ada, '192.0.2.1'))).status).toBe(503);
    await open(full.url, 1, cleo);
    await until('another one has ended', () => areOver(many).filter(Boolean).length === 2);
    // A third one of hers would only take the place of a third one.
    expect((await openStream(full.url, from(cleo, '192.0.2.1'))).status).toBe(503);
    expect([...areOver(some), ...areOver(few)]).not.toContain(true);
  });

  it('is the share of an address, whatever its accounts are', async () => {
    for (let n = 0; n < 3; n += 1) await open(shared.url, 1, randomUUID(), '2001:db8::1');
    const refused = await openStream(shared.url, from(randomUUID(), '2001:db8::2'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
    expect((await openStream(shared.url, from(randomUUID(), '2001:db8:0:1::1'))).status).toBe(200);
  });

  it('is limited: accounts of one address give way together', async () => {
    const attackers: OpenStream[] = [];
    for (let n = 0; n < 5; n += 1) attackers.push(...(await open(fullAndShared.url, 1, randomUUID(), '192.0.2.1')));
    const customers = await open(fullAndShared.url, 1, randomUUID(), '192.0.2.2');
    customers.push(...(await open(fullAndShared.url, 1, randomUUID(), '192.0.2.3')));
    await until('one has ended', () => areOver(attackers).includes(true));
    expect(areOver([...attackers, ...customers])).toEqual([true, false, false, false, false, false, false]);
  });
});
