import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../tools/free-port.ts';

/**
 * Proxies in front of the broker, each with its own listener: as many as test files use at the same time. payment's
 * broken-connections.test.ts uses eight until it ends; consumers' broker.test.ts and order's relay.test.ts use one each.
 */
const proxies = 10;

/** Start what all test files share; the names are those in jest.config.mjs. Each returns a function that stops it. */
const starts = {
  /** Each test file creates its own database. */
  async postgres() {
    const { startPostgres } = await import('../../../tools/local/components/postgres.ts');
    const dir = await newFolder();
    // An installation may have this default isolation, so services must set the level that they need.
    const settings = { fsync: 'off', default_transaction_isolation: 'repeatable read' };
    const options = { dataDir: join(dir, 'data'), port: await freePort(), settings, log: () => undefined };
    const postgres = await startPostgres(options);
    process.env.TEST_DATABASE_URL = postgres.superuserUrl;
    process.env.TEST_STATEMENTS = await newFolder();
    return () => postgres.stop().then(() => Promise.all([dir, process.env.TEST_STATEMENTS].map(remove)));
  },

  /** For the component tests that publish or consume events. */
  async kafka() {
    const { startKafka } = await import('../../../tools/local/components/kafka.ts');
    const dir = await newFolder();
    const port = await freePort();
    const proxied = [];
    for (let index = 0; index < proxies; index++)
      proxied.push({ port: await freePort(), proxyPort: await freePort(), lock: join(dir, `proxy-${index}`) });
    const kafka = await startKafka({ dataDir: join(dir, 'data'), port, proxied, log: () => undefined });
    process.env.TEST_KAFKA_BROKERS = kafka.brokers.join(',');
    process.env.TEST_KAFKA_PROXIED = JSON.stringify(proxied);
    return () => kafka.stop().then(() => remove(dir));
  },

  async chromium() {
    const { chromium } = await import('playwright-core');
    const { launchOptions } = await import('../chromium.ts');
    const server = await chromium.launchServer(launchOptions);
    process.env.TEST_CHROMIUM = server.wsEndpoint();
    return () => server.close();
  },

  store: async () => (await import('../../e2e/_shared-store.ts')).startSharedStore(),

  async shop() {
    await start('store');
    return (await import('../../browser/_shop.ts')).startSharedShop();
  },
};

async function newFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'store-test-'));
  await chmod(dir, 0o711); // started by root, PostgreSQL runs as another user
  return dir;
}
const remove = (dir) => rm(dir, { recursive: true, force: true });

// On globalThis, because Jest may load this module again for the teardown.
globalThis.sharedByTests ??= { started: new Map(), stops: [] };
const { started, stops } = globalThis.sharedByTests;

/** Starts something that tests share, once. @param name a key of `starts` */
export function start(name) {
  if (!started.has(name)) started.set(name, starts[name]().then(afterTests));
  return started.get(name);
}

/** Registers a function to call after all tests. */
export function afterTests(stop) {
  stops.push(stop);
}

/** Stops everything that was started, in reverse order. */
export default async function stopAll() {
  await Promise.allSettled(started.values());
  for (const stop of stops.reverse()) await stop();
}
