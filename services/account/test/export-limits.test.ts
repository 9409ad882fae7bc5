import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import request from 'supertest';
import { listen, serve } from '../../../tests/kit/listen.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { register, testApp } from './_app.ts';

const page = (records: string, next: string | null = null) => `{"records":[${records}],"next":${JSON.stringify(next)}}`;
const empty: RequestListener = (_, res) => res.end(page(''));

/** The answer of all other services. */
let answer: RequestListener;
let asked: number;
/** Requests to the other services that are not completely answered. */
let open: number;
const other = await serve((req, res) => {
  asked += 1;
  open += 1;
  res.on('close', () => {
    open -= 1;
  });
  answer(req, res);
});
const called = ['AUTH', 'ORDER', 'PAYMENT', 'INVENTORY', 'INVOICE', 'NOTIFICATION'];
const urls = Object.fromEntries(called.map((name) => [`${name}_URL`, other]));
const database = useDatabase('account');
const account = database.open((url) => testApp(url, {}, urls));
const replica = database.open((url) => testApp(url, {}, urls));

beforeEach(() => {
  answer = empty;
  asked = 0;
  open = 0;
});

async function newAccount() {
  const { id } = await register(account);
  const get = async ({ app } = account) => await request(app).get(`/accounts/${id}/export`).set('id-account', id);
  return { id, get };
}
const typeOf = ({ status, body }: { status: number; body: { type?: string } }) => [status, body.type];
const tooMany = [429, 'urn:problem:store:too-many-exports'];

/** Makes the other services wait. @returns a function that lets them answer */
function hold() {
  const held = Promise.withResolvers<void>();
  answer = (req, res) => void held.promise.then(() => empty(req, res));
  return held.resolve;
}
const isUnderWay = (count = 1) => until(`${count} are under way`, () => asked >= 6 * count);

describe('an export', () => {
  it('passes on the JSON of other services unchanged', async () => {
    const record = '{"amount": 1.50000000000000000000000001, "a":[{"next":"],\\"next\\":null}"}] }';
    answer = (_, res) => res.end(page(record));
    const { text, status } = await (await newAccount()).get();
    expect(status).toBe(200);
    expect(text.split(record)).toHaveLength(7);
    expect(() => JSON.parse(text)).not.toThrow();
  });

  it('runs one at a time per account, across replicas', async () => {
    const release = hold();
    const { get } = await newAccount();
    const first = get();
    await isUnderWay();
    for (const app of [account, replica]) {
      const refused = await get(app);
      expect([typeOf(refused), refused.headers['retry-after']]).toEqual([tooMany, '10']);
    }
    release();
    expect((await first).status).toBe(200);
    await until('the next export may begin', async () => (await get(replica)).status === 200);
  });

  it('runs beside at most one other in a process, and further requests answer 503 with Retry-After', async () => {
    const release = hold();
    const all = await Promise.all(Array.from({ length: 8 }, newAccount));
    const [first, second, ...more] = all;
    const answers = [first?.get(), second?.get()];
    await isUnderWay(2);
    for (const { get } of more) {
      const refused = await get();
      expect([typeOf(refused), refused.headers['retry-after']]).toEqual([[503, 'urn:problem:store:overloaded'], '5']);
    }
    expect(asked).toBe(12);
    release();
    for (const one of await Promise.all(answers)) expect(one?.status).toBe(200);
    await until('another account has its turn', async () => (await more[0]?.get())?.status === 200);
  });

  it('can be made five times a day, not counting those that failed because of a service', async () => {
    const { id, get } = await newAccount();
    answer = (_, res) => res.writeHead(503).end();
    for (let n = 0; n < 6; n += 1) await until('it fails', async () => (await get()).status === 503);
    answer = empty;
    for (let n = 0; n < 5; n += 1) await until('it succeeds', async () => (await get()).status === 200);
    const isRefused = async () => Number((await get()).headers['retry-after']) > 10;
    await until('the daily limit is reached', isRefused);
    const refused = await get();
    expect(typeOf(refused)).toEqual(tooMany);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    await account.prisma.$executeRaw`
      update account_exports set began_at[1] = began_at[1] - interval '1 day' where account_id = ${id}::uuid`;
    expect((await get()).status).toBe(200);
    expect(typeOf(await get())).toEqual(tooMany);
  });

  it('whose process died blocks the next one only until its time is over', async () => {
    const { id, get } = await newAccount();
    await get();
    const stored = () => account.prisma.accountExport.findUniqueOrThrow({ where: { accountId: id } });
    await until('it has ended', async () => (await stored()).endsBy === null);
    const left = (seconds: number) => account.prisma.$executeRaw`
      update account_exports set ends_by = now() + ${seconds}::int * interval '1 s' where account_id = ${id}::uuid`;
    await left(60);
    expect(typeOf(await get())).toEqual(tooMany);
    await left(0);
    expect((await get()).status).toBe(200);
  });
});

describe('an export whose client disconnects', () => {
  let port: number;
  const server = createServer((req, res) => account.app(req, res));
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

  /** Requests an export on a connection that reads nothing. */
  async function begin() {
    const { id } = await newAccount();
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    socket.pause();
    socket.write(`GET /accounts/${id}/export HTTP/1.1\r\nHost: x\r\nid-account: ${id}\r\n\r\n`);
    return socket;
  }

  /** Always answers with a large page that another page follows. */
  const endless: RequestListener = (_, res) => res.end(page(`"${'x'.repeat(500_000)}"`, 'more'));

  it.each<[string, RequestListener, () => Promise<void>]>([
    ['before the first byte', () => undefined, () => isUnderWay(2)],
    ['without reading', endless, () => isQuiet()],
  ])('%s stops, closes its connections and makes room for others', async (_, answers, isReached) => {
    answer = answers;
    const sockets = [await begin(), await begin()];
    await isReached();
    expect((await (await newAccount()).get()).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await until('no connection is left', async () => (await connections()) === 0 && open === 0, { timeoutMs: 10_000 });
    const before = asked;
    answer = empty;
    const { get } = await newAccount();
    await until('others have their turn', async () => (await get()).status === 200);
    expect(asked).toBe(before + 6);
  });

  /** Resolves once no service has been called for 500 ms, because the data read so far waits for the client. */
  async function isQuiet() {
    await isUnderWay(2);
    let [last, since] = [asked, performance.now()];
    await until('the export waits for its client', () => {
      if (asked !== last) [last, since] = [asked, performance.now()];
      return performance.now() - since > 500;
    });
  }
});
