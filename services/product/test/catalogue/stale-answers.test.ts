import { setTimeout as wait } from 'node:timers/promises';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { tea, testApp } from '../_app.ts';

type CurrentVersion = () => Promise<string>;
type Check = (real: CurrentVersion) => CurrentVersion;

const database = useDatabase('product', 'each');
const appWith = (options?: Parameters<typeof testApp>[1]) => database.closeLater(testApp(database.url, options));

const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/**
 * Sets the price of a product to 1, 2, 3 and so on while it is read at two replicas whose version check is replaced, until there were
 * `writes` writes or an answer was stale. A 503 from an overloaded machine does not count as an answer.
 */
async function writeAndRead(check: Check, writes: number) {
  const direct = appWith();
  const repository = { currentVersion: check(direct.repository.currentVersion) };
  const env = { APP_PROFILE: 'prod', PRODUCT_WRITERS: 'everybody' };
  const replicas = [1, 2].map(() => appWith({ env, repository }));
  const path = (await direct.post({ ...tea, price: 1 })).headers.location ?? '';
  const stale: string[] = [];
  let [requested, acknowledged, judged] = [1, 1, 0];
  const goesOn = () => requested < writes && stale.length === 0;

  const changes: ((price: number) => Promise<boolean>)[] = [
    async (price) => (await any(replicas).put(path, { ...tea, price })).status === 200,
    async (price) => {
      const update = `begin; update products set price = ${price}; select pg_sleep(0.005); commit`;
      return (await queryOnce(database.url, update)) !== undefined;
    },
  ];
  async function read(): Promise<void> {
    const before = acknowledged;
    const url = any([path, '/products']);
    const { status, body } = await any(replicas).get(url);
    if (status === 503) return;
    const [{ price }] = [body].flat();
    if (price < before || price > requested) stale.push(`${url} was ${price} after ${before} was acknowledged`);
    judged += 1;
  }
  async function keepReading(): Promise<void> {
    while (goesOn()) await read();
  }
  async function keepWriting(): Promise<void> {
    while (goesOn()) {
      requested += 1;
      if (await any(changes)(requested)) acknowledged = requested;
      await read();
    }
  }
  await Promise.all([keepWriting(), ...Array.from({ length: 8 }, keepReading)]);
  return { stale, judged };
}

/** Delays the database's answer long enough for a write to be acknowledged before it is used. */
const late = async (version: Promise<string>) => {
  const found = await version;
  await wait(20);
  return found;
};

it('a replica never answers with the state before an acknowledged write', async () => {
  const { stale, judged } = await writeAndRead((real) => () => late(real()), 100);
  expect(stale).toEqual([]);
  expect(judged).toBeGreaterThan(100);
}, 120_000);

const joins: Check = (real) => {
  let running: Promise<string> | undefined;
  return () => {
    running ??= late(real()).finally(() => {
      running = undefined;
    });
    return running;
  };
};
const remembers: Check = (real) => {
  let [version, until] = ['', 0];
  return async () => {
    if (performance.now() >= until) [version, until] = [await real(), performance.now() + 50];
    return version;
  };
};

it.each([
  ['joins a check that another request has begun', joins],
  ['remembers its result for some milliseconds', remembers],
])(
  'this test would notice a replica that %s',
  async (_, check) => {
    expect((await writeAndRead(check, 5_000)).stale).not.toEqual([]);
  },
  120_000,
);
