import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { isDatabaseUnavailable } from './errors.ts';

const base = process.env.TEST_DATABASE_URL ?? '';

const failure = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => error,
  );

/** Tries to use a server that treats its connections like this. */
async function failureAt(onConnection: (socket: Socket) => void, ask: (port: number) => Promise<unknown>) {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const error = await failure(ask((server.address() as AddressInfo).port));
  server.close();
  return error;
}
const limits = { host: '127.0.0.1', connectionTimeoutMillis: 50 };

it.each<[string, (port: number) => Promise<unknown>]>([
  ['a client', (port) => new pg.Client({ ...limits, port }).connect()],
  ['a pool', (port) => new pg.Pool({ ...limits, port }).query('select 1')],
])('a database that does not answer %s in time is unavailable', async (_, ask) => {
  expect(isDatabaseUnavailable(await failureAt(() => undefined, ask))).toBe(true);
});

it('a database that refuses the role is unavailable', async () => {
  const url = Object.assign(new URL(base), { username: 'nobody', password: 'wrong' }).href;
  const error = await failure(new pg.Client({ connectionString: url }).connect());
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it('a database without the requested TLS is unavailable', async () => {
  const refuseTls = (socket: Socket) => socket.once('data', () => socket.end('N'));
  const error = await failureAt(refuseTls, (port) => new pg.Client({ ...limits, port, ssl: true }).connect());
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it('an invalid statement does not mean that the database is unavailable', async () => {
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  const error = await failure(client.query('select nothing from nowhere'));
  await client.end();
  expect(isDatabaseUnavailable(error)).toBe(false);
});
