import { createLog } from '@store/shared/observability/log';
import { queryOnce } from '../../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createFollower } from './follower.ts';

const databaseUrl = process.env.TEST_DATABASE_URL ?? '';

let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
let received: string[];
let loads: number;
let load: () => Promise<unknown>;
let follower: ReturnType<typeof createFollower>;
let running: ReturnType<typeof follower.start>;

const notify = (payload: string) => queryOnce(databaseUrl, `select pg_notify('follower_test', '${payload}')`);
const isCurrent = () => until('it is current', follower.isCurrent);
const isNotCurrent = () => until('it is not current', () => !follower.isCurrent());

beforeEach(async () => {
  proxy = await createTcpProxy(databaseUrl);
  received = [];
  loads = 0;
  load = async () => undefined;
  follower = createFollower({
    name: 'test',
    databaseUrl: proxy.url,
    channel: 'follower_test',
    load: async () => {
      await load();
      loads += 1;
    },
    onNotification: (payload) => received.push(payload),
  });
  running = follower.start(createLog('test', 'silent'));
});

afterEach(async () => {
  await running.stop();
  await proxy.close();
});

// test/replicas.test.ts checks that later notifications arrive and that a follower is not current before its first load.
it.each([
  ['cuts its connection', () => proxy.close()],
  ['no longer responds', () => proxy.set('silent')],
])('a follower whose database %s is not current until it has loaded again', async (_, fail) => {
  await isCurrent();
  await fail();
  await isNotCurrent();
  expect(follower.isLoaded()).toBe(true);
  await notify('missed');
  load = () => notify('meanwhile');
  await proxy.close().catch(() => undefined);
  await proxy.set('pass');
  await isCurrent();
  await until('the notification arrives', () => received.length > 0);
  expect([received, loads]).toEqual([['meanwhile'], 2]);
});

it('a follower that cannot load is not current and tries again', async () => {
  await isCurrent();
  load = () => Promise.reject(new Error('Out of order'));
  await proxy.close();
  await proxy.set('pass');
  await isNotCurrent();
  load = async () => undefined;
  await isCurrent();
  expect(loads).toBe(2);
});

it('a follower stops while the database is unavailable', async () => {
  await proxy.close();
  await running.stop();
  expect(follower.isCurrent()).toBe(false);
  await proxy.set('pass');
});
