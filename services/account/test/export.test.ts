import request from 'supertest';
import { serve } from '../../../tests/kit/listen.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { ada, register, testApp } from './_app.ts';

interface Asked {
  url: string;
  accountId: unknown;
  authorization: unknown;
}

/** The answers of the other services, page by page. The last one repeats. */
let pages: { status?: number; body: object }[];
let asked: Asked[];
const other = await serve(({ url = '', headers }, res) => {
  const index = asked.push({ url, accountId: headers['id-account'], authorization: headers.authorization }) - 1;
  const { status = 200, body } = pages[Math.min(index, pages.length - 1)] ?? { body: {} };
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
const parts = {
  access: 'AUTH',
  orders: 'ORDER',
  payments: 'PAYMENT',
  reservations: 'INVENTORY',
  invoices: 'INVOICE',
  messages: 'NOTIFICATION',
};
const called = Object.values(parts);
const urls = Object.fromEntries(called.map((name) => [`${name}_URL`, other]));
const database = useDatabase('account');
const account = database.open((url) => testApp(url, {}, urls));

/** Each service at its own address. */
const addresses = called.map(async (service) => {
  const body = JSON.stringify({ records: [{ of: service }], next: null });
  const url = await serve((_, res) => res.setHeader('content-type', 'application/json').end(body));
  return [`${service}_URL`, url] as const;
});
const ownUrls = Object.fromEntries(await Promise.all(addresses));
const apart = database.open((url) => testApp(url, {}, ownUrls));

beforeEach(() => {
  asked = [];
});

const last = { body: { records: [{ n: 1 }], next: null } };

async function newAccount({ app } = account) {
  const { id, email } = await register({ app });
  const get = () => request(app).get(`/accounts/${id}/export`).set({ 'id-account': id, authorization: 'Bearer token' });
  return { id, email, get };
}

describe('GET /accounts/{id}/export', () => {
  it('has all pages of all services, and calls them on behalf of the customer', async () => {
    pages = [
      ...Array(called.length - 1).fill(last),
      { body: { records: [], next: 'a-b_c' } },
      { body: { records: [{ n: 2 }, {}], next: 'd' } },
      last,
    ];
    const { id, email, get } = await newAccount();
    const { body, headers } = await get().expect(200);
    const { account, ...records } = body;
    expect(account).toMatchObject({ id, name: ada.name, email, locale: 'en', confirmedAt: null });
    expect(Object.keys(records).sort()).toEqual(Object.keys(parts).sort());
    expect(Object.values(records).flat()).toEqual(
      expect.arrayContaining([...Array(called.length).fill({ n: 1 }), { n: 2 }, {}]),
    );
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
    });
    expect(asked).toHaveLength(called.length + 2);
    expect(asked.slice(called.length).map(({ url }) => url)).toEqual([
      '/internal/account-data?after=a-b_c',
      '/internal/account-data?after=d',
    ]);
    for (const one of asked) expect(one).toMatchObject({ accountId: id, authorization: 'Bearer token' });
  });

  it('has in each part the records of the service for that part', async () => {
    expect((await (await newAccount(apart)).get().expect(200)).body).toMatchObject(
      Object.fromEntries(Object.entries(parts).map(([part, service]) => [part, [{ of: service }]])),
    );
  });

  it('answers 503 while a service is unavailable', async () => {
    pages = [last, last, { status: 503, body: {} }];
    const { headers } = await (await newAccount()).get().expect(503);
    expect(headers['retry-after']).toBeDefined();
  });

  it('is cut off if a service fails later, so that nobody takes it for complete', async () => {
    pages = [
      ...Array(called.length - 1).fill(last),
      { body: { records: [], next: 'x' } },
      { body: { nonsense: true } },
    ];
    await expect((await newAccount()).get()).rejects.toThrow('aborted');
  });

  it("answers 404 for another customer's account and for an account that does not exist", async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await request(account.app).get(`/accounts/${one.id}/export`).set('id-account', other.id).expect(404);
    await request(account.app).get(`/accounts/${crypto.randomUUID()}/export`).set('id-account', one.id).expect(404);
    expect(asked).toEqual([]);
  });
});
