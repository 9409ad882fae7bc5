import { unreachableDatabaseUrl } from '../../../tests/kit/postgres/database.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';

const nowhere = 'http://127.0.0.1:1';
const start = (env: Record<string, string>) =>
  startService('services/inventory/src/main.ts', {
    DATABASE_URL: unreachableDatabaseUrl,
    PRODUCT_URL: nowhere,
    ORDER_URL: nowhere,
    ...env,
  });

test('inventory without its database is live and not ready', async () => {
  const waiting = await start({});
  await waiting.logs('Waiting for the database');
  expect((await waiting.get('/health/live')).status).toBe(200);
  expect((await waiting.get('/health/ready')).status).toBe(503);
  expect(await waiting.end('SIGTERM')).toEqual([0, null]);
});

test('inventory names every invalid setting and does not start', async () => {
  const env = { DATABASE_URL: '', KAFKA_BROKERS: 'nowhere', PRODUCT_URL: 'x', ORDER_URL: 'x', INITIAL_STOCK: '-1' };
  const refused = await start(env);
  expect(await refused.exit).toEqual([1, null]);
  await until('all problems are printed', () => refused.lines.length >= 6);
  for (const name of Object.keys(env)) expect(refused.lines.join('\n')).toContain(name);
});
