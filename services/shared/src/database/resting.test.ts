import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../../../tests/kit/listen.ts';
import { createPool } from './connection.ts';

/** Accepts connections and closes them, like PgBouncer without a database. */
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.on('error', () => undefined).end();
});
beforeAll(() => listen(server, 0));
afterAll(() => server.close());

it('a database that closes its connections is tried again only after 200 ms, even if many wait for it', async () => {
  const { port } = server.address() as AddressInfo;
  const pool = createPool({ connectionString: `postgresql://a:b@127.0.0.1:${port}/a`, max: 10 });
  const reasons = new Set<string>();
  const ask = () => pool.query('select 1').catch((error: Error) => reasons.add(error.message));
  const began = performance.now();
  await ask();
  for (let times = 0; times < 100; times += 1) await ask();
  // A busy machine takes longer than 200 ms for these.
  expect(connections).toBeLessThan(3 + (performance.now() - began) / 200);
  expect([...reasons]).toEqual(['Connection terminated unexpectedly']);
  const before = connections;
  await wait(250);
  await ask();
  expect(connections).toBe(before + 1);
  await pool.end();
});
