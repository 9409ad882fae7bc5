import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createPool } from './connection.ts';

/** Accepts connections and ends them, as PgBouncer does without a database. */
const connections = { count: 0 };
const server = createServer((socket) => {
  connections.count += 1;
  socket.on('error', () => undefined).end();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

it('a database that ends its connections is asked again after 200 ms, however many wait for it', async () => {
  const { port } = server.address() as AddressInfo;
  const pool = createPool({ connectionString: `postgresql://a:b@127.0.0.1:${port}/a`, max: 10 });
  const reasons = new Set<string>();
  const ask = () => pool.query('select 1').catch((error: Error) => reasons.add(error.message));
  await ask();
  for (let times = 0; times < 100; times += 1) await ask();
  expect(connections.count).toBeLessThan(3);
  expect([...reasons]).toEqual(['Connection terminated unexpectedly']);
  const before = connections.count;
  await wait(250);
  await ask();
  expect(connections.count).toBe(before + 1);
  await pool.end();
});
