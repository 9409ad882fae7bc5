import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { isDatabaseMisconfigured, isDatabaseUnavailable } from './errors.ts';

const base = process.env.TEST_DATABASE_URL ?? '';

/** Takes connections and says nothing, as a database does that is just starting or overloaded. */
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
])('a database that does not answer %s in time is away', async (_, ask) => {
  const { server, url } = await listenInSilence();
  const error = await failure(ask(url));
  expect(isDatabaseUnavailable(error)).toBe(true);
  server.close();
});

it('a database that refuses the role is there, but serves nobody', async () => {
  const url = Object.assign(new URL(base), { username: 'nobody', password: 'wrong' }).href;
  const error = await failure(new pg.Client({ connectionString: url }).connect());
  expect(isDatabaseUnavailable(error)).toBe(false);
  expect(isDatabaseMisconfigured(error)).toBe(true);
});

it('a database without the TLS that was asked for serves nobody', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const error = await failure(new pg.Client({ host: '127.0.0.1', port, ssl: true }).connect());
  expect(isDatabaseMisconfigured(error)).toBe(true);
  server.close();
});

it('a wrong statement is neither', async () => {
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  const error = await failure(client.query('select nothing from nowhere'));
  await client.end();
  expect([isDatabaseUnavailable(error), isDatabaseMisconfigured(error)]).toEqual([false, false]);
});
