import pg from 'pg';
import request from 'supertest';
import { describeContract } from '../../../../tests/kit/openapi/contract.ts';
import {
  createTestDatabase,
  type TestDatabase,
  unreachableDatabaseUrl,
} from '../../../../tests/kit/postgres/database.ts';
import { orderRoutes } from '../../src/routes.ts';
import { alice, bob, salt, tea, testApp, unknown } from '../_app.ts';
import { headersOf, openStream, startReplica } from '../live/_streams.ts';

let database: TestDatabase;
let replica: Awaited<ReturnType<typeof startReplica>>;
let order: ReturnType<typeof testApp>;
let holder: pg.Client;
const unavailable = testApp(unreachableDatabaseUrl);

beforeAll(async () => {
  database = await createTestDatabase('order');
  const seen = new Set<string>();
  // Sessions end after their first check, and with them the streams: the contract test reads answers to their end.
  const sessionCheck = async (sessions: { id: string }[]) => {
    const ended = sessions.map(({ id }) => id).filter((id) => id !== 'lasting' && seen.has(id));
    for (const { id } of sessions) seen.add(id);
    return new Set(ended);
  };
  order = replica = await startReplica(database.url, { sessionCheck });
  // The lock that another process holds while it places the order of this key.
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${alice}held`]);
});

afterAll(async () => {
  await Promise.all([replica.close(), unavailable.close(), holder.end()]);
  await database.drop();
});

const body = { items: [{ productId: tea, quantity: 2 }] };
const key = (value: string) => ({ 'Idempotency-Key': value });
const missing = '/orders/00000000-0000-4000-8000-000000000000';
const undecodable = '/orders/%ff';

async function placed(call: object = {}, suffix = '') {
  const { headers } = await request(order.app).post('/orders').set('id-account', alice).send(body);
  return { path: `${headers.location}${suffix}`, ...call };
}

async function cancelled(suffix: string) {
  const { path } = await placed({}, '/cancellation');
  await request(order.app).post(path).set('id-account', alice);
  return { path: path.replace(/\/cancellation$/, suffix) };
}

async function shipped(call: object = {}, suffix = '') {
  const { path } = await placed();
  await holder.query('update orders set shipped_at = now() where id = $1', [path.slice('/orders/'.length)]);
  return { path: `${path}${suffix}`, ...call };
}

const cancel = { body: { status: 'CANCELLED' } };

describeContract({
  // Only for the document; the requests go to the application.
  routes: orderRoutes({} as never, {} as never),
  app: () => order.app,
  unavailableApp: () => unavailable.app,
  accountId: alice,
  calls: {
    'post /orders': {
      async 201() {
        await request(order.app).post('/orders').set('id-account', alice).set(key('repeated')).send(body);
        return { body, headers: key('repeated') };
      },
      400: { body: { items: [{ productId: unknown, quantity: 1 }] } },
      403: { body: { ...body, customerId: bob } },
      409: { body, headers: key('held') },
      async 422() {
        await request(order.app).post('/orders').set('id-account', alice).set(key('used')).send(body);
        return { body: { items: [{ productId: salt, quantity: 2 }] }, headers: key('used') };
      },
    },
    'get /orders': {
      200: () => placed({ path: '/orders?size=2' }),
      400: { path: '/orders?size=0' },
    },
    'get /orders/events': {
      200: { headers: headersOf(alice) },
      400: { headers: { ...headersOf(alice), 'last-event-id': 'é' } },
      async 429() {
        const headers = headersOf(bob, { id: 'lasting' });
        for (let n = 0; n < 10; n += 1) await openStream(replica.url, { headers });
        return { headers };
      },
      503: { headers: headersOf(alice), app: () => unavailable.app },
    },
    'get /orders/{id}': { 200: () => placed(), 400: { path: undecodable }, 404: { path: missing } },
    'patch /orders/{id}': {
      200: () => placed(cancel),
      400: () => placed({ body: { status: 'SOLD' } }),
      404: { path: missing, ...cancel },
      409: () => shipped(cancel),
      422: () => placed({ body: { status: 'CONFIRMED' } }),
    },
    'delete /orders/{id}': { 204: () => placed(), 400: { path: undecodable }, 404: { path: missing } },
    'post /orders/{id}/cancellation': {
      200: () => cancelled('/cancellation'),
      201: () => placed({}, '/cancellation'),
      400: { path: `${undecodable}/cancellation` },
      404: { path: `${missing}/cancellation` },
      409: () => shipped({}, '/cancellation'),
    },
    'get /orders/{id}/cancellation': {
      200: () => cancelled('/cancellation'),
      400: { path: `${undecodable}/cancellation` },
      404: () => placed({}, '/cancellation'),
    },
  },
});
