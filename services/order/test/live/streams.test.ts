import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import { register } from 'prom-client';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { Session } from '../../src/live/session.ts';
import { alice, bob } from '../_app.ts';
import { beganStream, headersOf, openStream, startReplica } from './_streams.ts';

const database = useDatabase('order');
const limits = { maxStreams: 3, env: { STREAMS_PER_ADDRESS: '2' } };
const limited = database.open((url) => startReplica(url, limits));

describe('a stream', () => {
  let ended: Set<string>;
  let isAuthAway: boolean;
  let asked: Session[];
  /** Auth answers when it resolves. */
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
  const isAsked = () => until('auth is asked', () => asked.length > 0);
  const replica = database.open((url) => startReplica(url, { sessionCheck }), 'each');

  it('ends if its session ends or expires, and no other stream is opened for the session', async () => {
    const id = randomUUID();
    const other = await beganStream(replica.url);
    const over = await beganStream(replica.url, { headers: headersOf(alice, { id }) });
    const expired = await beganStream(replica.url, { headers: headersOf(alice, { expiresInSeconds: 2 }) });
    ended.add(id);
    await until('both streams are over', () => over.isOver() && expired.isOver());
    expect(other.isOver()).toBe(false);
    for (const headers of [headersOf(alice, { id }), headersOf(alice, { expiresInSeconds: 0 })])
      expect((await openStream(replica.url, { headers })).status).toBe(401);
  });

  it('is counted as open from the start of its changes until it is over', async () => {
    const open = async () => (await register.getSingleMetric('order_streams_open')?.get())?.values[0]?.value;
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const opening = beganStream(replica.url);
    await isAsked();
    expect(await open()).toBe(0);
    resolve();
    const stream = await opening;
    expect(await open()).toBe(1);
    stream.break();
    await until('the stream is over', async () => (await open()) === 0);
  });

  it('names the key of its token to auth, so that it ends with the key', async () => {
    const id = randomUUID();
    const stream = await beganStream(replica.url, { headers: headersOf(alice, { id, kid: 'of the key' }) });
    for (const _ of ['at its beginning', 'later']) {
      await isAsked();
      expect(asked).toMatchObject([{ id, accountId: alice, kid: 'of the key' }]);
      asked = [];
    }
    stream.break();
  });

  it('without a token, or with a broken token or the token of another account, is 401', async () => {
    for (const authorization of [undefined, 'Bearer x.y.z', headersOf(bob).authorization]) {
      const headers = { 'id-account': alice, ...(authorization && { authorization }) };
      const { status } = await openStream(replica.url, { headers });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });

  it('ends if auth is unavailable for some seconds, and no other stream is opened', async () => {
    const stream = await beganStream(replica.url);
    isAuthAway = true;
    const awayAt = performance.now();
    expect((await openStream(replica.url)).status).toBe(503);
    await until('it is over', () => stream.isOver());
    expect(performance.now() - awayAt).toBeGreaterThan(4_000);
  });

  it('ends when the process stops, and no other stream is opened', async () => {
    const stream = await beganStream(replica.url);
    replica.endStreams?.();
    await until('it is over', () => stream.isOver());
    expect((await openStream(replica.url)).status).toBe(503);
  });

  it('is answered at once for HEAD', async () => {
    const answer = await fetch(`${replica.url}/orders/events`, { method: 'HEAD', headers: headersOf(alice) });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  });
});

// stream-limits.test.ts covers which stream makes room.
it('streams are limited per address and per process', async () => {
  const from = (address: string) => ({ headers: { ...headersOf(randomUUID()), 'x-envoy-external-address': address } });
  const [oldest, other] = [
    await beganStream(limited.url, from('2001:db8::1')),
    await beganStream(limited.url, from('2001:db8::2')),
  ];
  const refused = await openStream(limited.url, from('2001:db8::3'));
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  await beganStream(limited.url, from('2001:db8:0:1::1'));
  await beganStream(limited.url, from('192.0.2.1'));
  await until('the oldest has ended', () => oldest.isOver());
  expect([oldest.isComplete(), other.isOver()]).toEqual([true, false]);
  expect((await openStream(limited.url, from('192.0.2.1'))).status).toBe(503);
  other.break();
  await until('there is room again', async () => (await openStream(limited.url, from('192.0.2.1'))).status === 200);
});
