import { createLog } from '@store/shared/observability/log';
import pg from 'pg';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { createFollower } from './follower.ts';

const databaseUrl = process.env.TEST_DATABASE_URL ?? '';
const log = createLog('test', 'silent');

let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
let writer: pg.Client;
let heard: string[];
let loads: number;
let load: () => Promise<unknown>;
let follower: ReturnType<typeof createFollower>;
let running: ReturnType<typeof follower.start>;

const notify = (payload: string) => writer.query('select pg_notify($1, $2)', ['follower_test', payload]);
const isCurrent = () => until('it is current', follower.isCurrent);

beforeEach(async () => {
  proxy = await createTcpProxy(databaseUrl);
  writer = new pg.Client({ connectionString: databaseUrl });
  await writer.connect();
  heard = [];
  loads = 0;
  load = async () => {
    loads += 1;
  };
  follower = createFollower({
    databaseUrl: proxy.url,
    channel: 'follower_test',
    load: () => load(),
    onNotification: (payload) => heard.push(payload),
  });
  running = follower.start(log);
});

afterEach(async () => {
  await running.stop();
  await writer.end();
  await proxy.close();
});

test('a follower loads once and hears what is notified afterwards', async () => {
  expect([follower.isLoaded(), follower.isCurrent()]).toEqual([false, false]);
  await isCurrent();
  await notify('one');
  await notify('two');
  await until('both are heard', () => heard.length === 2);
  expect([heard, loads, follower.isLoaded()]).toEqual([['one', 'two'], 1, true]);
});

test('a follower hears what is notified while it loads', async () => {
  await isCurrent();
  load = () => notify('meanwhile');
  await proxy.close();
  await proxy.set('pass');
  await until('it is heard', () => heard.includes('meanwhile'));
});

test.each([
  ['cuts its connection', () => proxy.close()],
  ['no longer responds', () => proxy.set('silent')],
])('a follower whose database %s is not current, and loads again', async (_, fail) => {
  await isCurrent();
  await fail();
  await until('it is not current', () => !follower.isCurrent());
  expect(follower.isLoaded()).toBe(true);
  await notify('missed');
  await proxy.close().catch(() => undefined);
  await proxy.set('pass');
  await isCurrent();
  expect([heard, loads]).toEqual([[], 2]);
});

test('a follower that cannot load is not current and tries again', async () => {
  await isCurrent();
  load = () => Promise.reject(new Error('Out of order'));
  await proxy.close();
  await proxy.set('pass');
  await until('it is not current', () => !follower.isCurrent());
  load = async () => {
    loads += 1;
  };
  await isCurrent();
  expect(loads).toBe(2);
});

test('a follower stops while the database is unavailable', async () => {
  await proxy.close();
  await running.stop();
  expect(follower.isCurrent()).toBe(false);
  await proxy.set('pass');
});
