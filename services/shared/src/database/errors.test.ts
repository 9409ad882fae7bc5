import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { isDatabaseMisconfigured, isDatabaseUnavailable } from './errors.ts';

const base = process.env.TEST_DATABASE_URL ?? '';

/** Accepts connections and stays silent, like a database that is starting or overloaded. */
async function listenInSilence(): Promise<{ server: Server; url: string }> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `postgresql://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c` };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => error,
  );

it.each([
  [
    'a client',
    (connectionString: string) => new pg.Client({ connectionString, connectionTimeoutMillis: 50 }).connect(),
  ],
  [
    'a pool',
    (connectionString: string) => new pg.Pool({ connectionString, connectionTimeoutMillis: 50 }).query('select 1'),
  ],
])('a database that does not answer %s in time is unavailable', async (_, ask) => {
  const { server, url } = await listenInSilence();
  const error = await failure(ask(url));
  expect(isDatabaseUnavailable(error)).toBe(true);
  server.close();
});

it('a database that refuses the role is misconfigured, not unavailable', async () => {
  const url = Object.assign(new URL(base), { username: 'nobody', password: 'wrong' }).href;
  const error = await failure(new pg.Client({ connectionString: url }).connect());
  expect(isDatabaseUnavailable(error)).toBe(false);
  expect(isDatabaseMisconfigured(error)).toBe(true);
});

it('a database without the requested TLS is misconfigured', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const error = await failure(new pg.Client({ host: '127.0.0.1', port, ssl: true }).connect());
  expect(isDatabaseMisconfigured(error)).toBe(true);
  server.close();
});

it('an invalid statement is neither', async () => {
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  const error = await failure(client.query('select nothing from nowhere'));
  await client.end();
  expect([isDatabaseUnavailable(error), isDatabaseMisconfigured(error)]).toEqual([false, false]);
});
