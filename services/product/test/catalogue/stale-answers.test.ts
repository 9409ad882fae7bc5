import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { accountId, tea, testApp } from '../_app.ts';
import { beginJudging, gone, nameOf, type Shown, shownBy, type Written } from './_history.ts';

type CurrentVersion = () => Promise<string>;

let replicas: ReturnType<typeof testApp>[];
let servers: Server[];
let sql: pg.Pool;

afterEach(async () => {
  for (const server of servers) server.close().closeAllConnections();
  for (const replica of replicas) await replica.close();
  await sql.end();
});
const database = useDatabase('product', 'each');
beforeEach(() => {
  sql = new pg.Pool({ connectionString: database.url });
  sql.on('error', () => undefined); // dropping the database may end a connection that is closing
});

/** Two replicas that serve by HTTP, whose check of the version is changed. */
async function startReplicas(check: (real: CurrentVersion) => CurrentVersion) {
  const direct = testApp(database.url);
  const currentVersion = check(direct.repository.currentVersion);
  const serving = [1, 2].map(() =>
    testApp(database.url, { production: true, writers: 'everybody', repository: { currentVersion } }),
  );
  servers = serving.map(({ app }) => createServer(app).listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  replicas = [direct, ...serving];
}

const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
const anyUrl = () => `http://127.0.0.1:${(any(servers).address() as AddressInfo).port}`;

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(anyUrl() + path, {
    method,
    headers: { 'id-account': accountId, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, text };
}

/**
 * Writes and reads at random, by either replica and by SQL, until so much was written or an answer was stale.
 * @returns what was stale, how many answers were judged, and how many of those were 304
 */
async function writeAndRead(writes: number) {
  const products: Written[] = [];
  const stale: string[] = [];
  let [written, judged, unchanged] = [0, 0, 0];
  const goesOn = () => written < writes && stale.length === 0;

  /** @returns whether it was acknowledged; on a starved machine it may be 503 */
  async function change(method: string, path: string, name?: string): Promise<boolean> {
    const { response, text } = await send(method, path, name === undefined ? undefined : { ...tea, name });
    if (!response.ok && response.status !== 503) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return response.ok;
  }
  const changes: ((path: string, name: string) => Promise<unknown>)[] = [
    (path, name) => change('PUT', path, name),
    (path, name) => sql.query('update products set name = $2 where id = $1', [path.split('/').at(-1), name]),
    (path, name) =>
      sql.query(`begin; update products set name = '${name}' where id = '${path.split('/').at(-1)}';
                 select pg_sleep(0.005); commit`),
  ];
  /** Answers that this reader has, by path. */
  type Had = Map<string, { etag: string; shown: Shown }>;
  async function read(had: Had): Promise<void> {
    const living = products.filter(({ requested }) => requested !== gone);
    const one = Math.random() < 0.3 ? any(living) : undefined;
    const path =
      one?.path ?? any(['/products?size=1000', '/products?size=1000&sort=name', '/products?q=state&size=1000']);
    const known = had.get(path);
    const judge = beginJudging(one === undefined ? products : [one]);
    const { response, text } = await send('GET', path, undefined, known && { 'if-none-match': known.etag });
    if (response.status === 503) return; // a starved machine: no answer is not a stale one
    let shown: Shown = known?.shown ?? new Map();
    if (response.status === 304) unchanged += 1;
    else shown = shownBy(response.ok ? [JSON.parse(text)].flat() : []);
    had.set(path, { etag: response.headers.get('etag') ?? '', shown });
    stale.push(...judge(shown));
    judged += 1;
  }
  async function keepReading(): Promise<void> {
    for (const had: Had = new Map(); goesOn(); ) await read(had);
  }
  /** One product after another, from its making to its end. After each change it is read at once. */
  async function keepWriting(): Promise<void> {
    for (const had: Had = new Map(); goesOn(); ) {
      const id = randomUUID();
      await sql.query(`insert into products (id, name, price, unit) values ($1, $2, 1, 'kg')`, [id, nameOf(1)]);
      const product = { path: `/products/${id}`, acknowledged: 1, requested: 1 };
      products.push(product);
      for (let n = 0; n < 10 && goesOn(); n += 1) {
        await sql.query(`begin; update products set name = '${nameOf(0)}'; rollback`);
        product.requested += 1;
        if (await any(changes)(product.path, nameOf(product.requested))) product.acknowledged = product.requested;
        written += 1;
        await read(had);
      }
      if (!goesOn()) return;
      product.requested = gone;
      if (await change('DELETE', product.path)) product.acknowledged = gone;
      await read(had);
    }
  }
  await Promise.all([...Array.from({ length: 3 }, keepWriting), ...Array.from({ length: 8 }, keepReading)]);
  return { stale, judged, unchanged };
}

/** Long enough for a write to be acknowledged between the database's answer and its use. */
const late = async (version: Promise<string>) => {
  const found = await version;
  await wait(5);
  return found;
};

describe('a replica', () => {
  it('never answers with what was before an acknowledged write', async () => {
    await startReplicas((real) => () => late(real()));
    const { stale, judged, unchanged } = await writeAndRead(300);
    expect(stale).toEqual([]);
    expect(unchanged).toBeGreaterThan(0);
    expect(judged).toBeGreaterThan(300);
  }, 120_000);

  it.each<[string, (real: CurrentVersion) => CurrentVersion]>([
    [
      'joins a check that another request has begun',
      (real) => {
        let running: Promise<string> | undefined;
        return () => {
          running ??= late(real()).finally(() => {
            running = undefined;
          });
          return running;
        };
      },
    ],
    [
      'remembers its result for some milliseconds',
      (real) => {
        let [version, until] = ['', 0];
        return async () => {
          if (performance.now() < until) return version;
          version = await real();
          until = performance.now() + 20;
          return version;
        };
      },
    ],
  ])(
    'would be found out, if it %s',
    async (_, check) => {
      await startReplicas(check);
      expect((await writeAndRead(5_000)).stale).not.toEqual([]);
    },
    120_000,
  );
});
