import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../../tests/kit/until.ts';
import { createLog } from '../observability/log.ts';
import { createHttpApp } from './app.ts';
import { noContent, route } from './route.ts';

const most = 500;

let waiting: PromiseWithResolvers<void>[];
let server: Server;
let url: string;

async function hold() {
  const ended = Promise.withResolvers<void>();
  waiting.push(ended);
  await ended.promise;
  return noContent();
}

beforeEach(async () => {
  waiting = [];
  const post = { method: 'post', responses: { 204: { description: 'Ended.' } } } as const;
  const routes = [
    route({ ...post, path: '/held', identity: 'none', handler: hold }),
    route({ ...post, path: '/held-by-account', identity: 'account', handler: hold }),
  ];
  server = createServer(
    createHttpApp({ title: 'Test', routes, log: createLog('test', 'silent'), config: { APP_PROFILE: 'prod' } }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/held`;
});

afterEach(async () => {
  for (const { resolve } of waiting) resolve();
  server.close();
  server.closeAllConnections();
});

const post = (signal?: AbortSignal) => fetch(url, { method: 'POST', signal: signal ?? null });

const isHandling = (count: number) => until(`${count} requests are handled`, () => waiting.length === count);

/** Sends so many requests that the next is refused. */
async function fill(signal?: AbortSignal) {
  const answers = Array.from({ length: most }, () => post(signal));
  for (const answer of answers) answer.catch(() => undefined);
  await isHandling(most);
  return answers;
}

it(`refuses more than ${most} requests in flight, and admits another for each that ends`, async () => {
  const answers = await fill();
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ type: 'urn:problem:store:overloaded' });
  expect(waiting).toHaveLength(most);

  waiting[0]?.resolve();
  await Promise.race(answers);
  const admitted = post();
  await isHandling(most + 1);
  expect((await post()).status).toBe(503);
  for (const { resolve } of waiting) resolve();
  expect((await admitted).status).toBe(204);
});

it('counts a request until its handler has ended, even if its client has disconnected', async () => {
  const gone = new AbortController();
  const answers = await fill(gone.signal);
  gone.abort();
  await Promise.allSettled(answers);
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  await until('the server has noticed', async () => (await connections()) === 0);
  expect((await post()).status).toBe(503);

  for (const { resolve } of waiting.splice(0)) resolve();
  await fill();
});

describe('of one account', () => {
  /** As the only account it holds twice as many places as are left. */
  const max = 333;
  const own = (account: string) => `${account}0000000-0000-4000-8000-000000000000`;
  const postAs = (account: string) =>
    fetch(`${url}-by-account`, { method: 'POST', headers: { 'id-account': own(account) } });
  const send = (account: string, count: number) =>
    Array.from({ length: count }, () => postAs(account).catch(() => undefined));

  it('admits twice as many as there are places left, and answers 429 to more', async () => {
    send('a', max);
    await isHandling(max);
    const refused = await postAs('a');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.headers.get('ratelimit')).toBe('"too-many-requests";r=0;t=1');
    expect(await refused.json()).toMatchObject({ type: 'urn:problem:store:too-many-requests', status: 429 });
    send('b', 1);
    await isHandling(max + 1);
    for (const { resolve } of waiting.splice(0)) resolve();
    send('a', max); // after the earlier ones have ended
    await isHandling(max);
  });

  it('leaves places for others even if many accounts take all they can', async () => {
    const answers = [...'abcdef'].flatMap((account) => send(account, 200));
    let refused = 0; // every request that is not held
    for (const answer of answers) answer.then(() => (refused += 1));
    await until('all have arrived', () => waiting.length + refused === answers.length);
    const held = waiting.length;
    expect(held).toBeLessThan(most);
    send('0', 1);
    await isHandling(held + 1);
  });
});
