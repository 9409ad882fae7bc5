import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openTransaction } from '../../../../tests/kit/postgres/transaction.ts';
import { paymentDetailsRoutes } from '../../src/paying/payment-details-routes.ts';
import { orderRecordRoutes } from '../../src/records/order-record-routes.ts';
import { orderRoutes } from '../../src/routes.ts';
import { shipmentRoutes } from '../../src/shipping/shipment-routes.ts';
import { storeOrderRoutes } from '../../src/store-orders/store-order-routes.ts';
import { alice, as, bob, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';
import { headersOf, openStream, startReplica } from '../live/_streams.ts';

// Used only for the OpenAPI document; requests go to the application.
const routes = [
  ...orderRoutes({} as never, {} as never, {} as never),
  ...shipmentRoutes({} as never, {} as never),
  ...storeOrderRoutes({} as never),
  ...orderRecordRoutes({} as never),
  ...paymentDetailsRoutes({} as never, () => new Date()),
];
const unavailable = testApp(unreachableDatabaseUrl);
afterAll(() => unavailable.close());

const body = { items: [{ productId: tea, quantity: 2 }] };
const cancel = { body: { status: 'CANCELLED' } };
const note = { text: 'Called.' };
const action = { status: 'action-required', nextAction: { type: 'redirect', url: 'https://bank.example/3ds' } };
const operator = { 'account-roles': 'operator' };
const parcel = { carrier: 'CTT', trackingNumber: 'DB1', trackingUrl: 'https://ctt.pt/1' };
const key = (value: string) => ({ 'Idempotency-Key': value });
const missing = '/orders/00000000-0000-4000-8000-000000000000';
const undecodable = '/orders/%ff';

describe('the order API', () => {
  const seen = new Set<string>();
  // Sessions and their streams end after the first check, because the contract test reads every reply to its end.
  const sessionCheck = async (sessions: { id: string }[]) => {
    const ended = sessions.map(({ id }) => id).filter((id) => id !== 'lasting' && seen.has(id));
    for (const { id } of sessions) seen.add(id);
    return new Set(ended);
  };
  const database = useDatabase('order');
  const order = database.open((url) => startReplica(url, { sessionCheck }));
  const customer = as(alice, order);
  const limited = database.open((url) => testApp(url, { env: { CANCELLATIONS_PER_HOUR: '1' } }));
  const credential = newCredential();
  const names = ['INTERNAL_CREDENTIAL', 'INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS', 'MAILER_CREDENTIALS'];
  const env = Object.fromEntries(names.map((name) => [name, credential]));
  const restricted = database.open((url) => testApp(url, { env }));
  // Takes the lock that another process would hold while it places the order of this key.
  database.open(async (url) => {
    const transaction = await openTransaction(url);
    await transaction.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${alice}held`]);
    return { close: () => transaction.end() };
  });

  async function placed(call: object = {}, suffix = '') {
    return { path: `/orders/${await customer.placed()}${suffix}`, ...call };
  }
  const paying = async (): Promise<string> =>
    (await customer.place({ ...body, payment: { token: 'card-ok' } })).body.id;
  async function cancelled() {
    const id = await customer.placed();
    await customer.cancel(id);
    return { path: `/orders/${id}/cancellation` };
  }
  async function paid<Call extends object>(call?: Call, suffix = '/shipments') {
    const id = await customer.placed();
    await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', paidAt: new Date() } });
    return { path: `/orders/${id}${suffix}`, ...(call as Call) };
  }
  async function shipped(call: object = {}, suffix = '') {
    const id = await customer.placed();
    await order.prisma.order.update({ where: { id }, data: { shippedAt: new Date() } });
    return { path: `/orders/${id}${suffix}`, ...call };
  }

  const contract: Contract = {
    routes,
    app: () => order.app,
    unavailableApp: () => unavailable.app,
    restrictedApp: () => restricted.app,
    accountId: alice,
    calls: {
      'post /orders': {
        async 201() {
          await customer.placeWith('repeated', body);
          return { body, headers: key('repeated') };
        },
        400: { body: { items: [{ productId: unknown, quantity: 1 }] } },
        403: { body: { ...body, customerId: bob } },
        409: { body, headers: key('held') },
        async 422() {
          await customer.placeWith('used', body);
          return { body: { items: [{ productId: salt, quantity: 2 }] }, headers: key('used') };
        },
        async 429() {
          await cancelled();
          return { body, app: () => limited.app };
        },
      },
      'get /internal/account-data': { 200: {}, 400: { path: '/internal/account-data?after=' } },
      'get /orders': {
        200: () => placed({ path: '/orders?size=2' }),
        400: { path: '/orders?size=0' },
      },
      'get /orders/events': {
        200: { headers: headersOf(alice) },
        400: { headers: { ...headersOf(alice), 'last-event-id': 'é' } },
        async 429() {
          const headers = headersOf(bob, { id: 'lasting' });
          for (let n = 0; n < 10; n += 1) await openStream(order.url, { headers });
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
        200: () => cancelled(),
        201: () => placed({}, '/cancellation'),
        400: { path: `${undecodable}/cancellation` },
        404: { path: `${missing}/cancellation` },
        409: () => shipped({}, '/cancellation'),
      },
      'get /orders/{id}/cancellation': {
        200: () => cancelled(),
        400: { path: `${undecodable}/cancellation` },
        404: () => placed({}, '/cancellation'),
      },
      'post /orders/{id}/shipments': {
        async 201() {
          const call = await paid({ body: parcel, headers: { ...operator, ...key(randomUUID()) } });
          await request(order.app)
            .post(call.path)
            .set({ 'id-account': alice, ...call.headers })
            .send(parcel);
          return call;
        },
        400: () => paid({ body: { carrier: '' }, headers: operator }),
        403: () => paid({ body: parcel }),
        404: { path: `${missing}/shipments`, body: parcel, headers: operator },
        409: () => paid({ body: parcel, headers: { ...operator, ...key('held') } }),
        async 422() {
          const headers = { ...operator, ...key('shipped') };
          const { path } = await paid();
          await request(order.app)
            .post(path)
            .set({ 'id-account': alice, ...headers })
            .send(parcel)
            .expect(201);
          return { path, body: {}, headers };
        },
      },
      'get /orders/{id}/shipments': {
        200: () => shipped({}, '/shipments'),
        400: { path: `${undecodable}/shipments` },
        404: { path: `${missing}/shipments` },
      },
      'get /orders/{id}/shipments/{shipmentId}': {
        async 200() {
          const { path } = await shipped();
          return { path: `${path}/shipments/${path.split('/').at(-1)}` };
        },
        400: { path: `${undecodable}/shipments/${alice}` },
        404: () => shipped({}, `/shipments/${alice}`),
      },
      'get /store/orders': {
        200: { headers: operator },
        400: { path: '/store/orders?limit=0', headers: operator },
        403: {},
        409: { path: `/store/orders?changedAfter=0123456789abcdef-1-${alice}`, headers: operator },
      },
      'get /store/orders/{id}': {
        200: async () => ({ path: `/store/orders/${await customer.placed()}`, headers: operator }),
        400: { path: `/store${undecodable}`, headers: operator },
        403: { path: `/store${missing}` },
        404: { path: `/store${missing}`, headers: operator },
      },
      'get /internal/orders/{id}/shipment': {
        200: async () => ({ path: `/internal${(await shipped({}, '/shipment')).path}` }),
        400: { path: `/internal${undecodable}/shipment` },
        404: async () => ({ path: `/internal${(await placed({}, '/shipment')).path}` }),
      },
      'post /internal/orders/{id}/shipments': {
        201: async () => ({ path: `/internal${(await paid()).path}`, body: parcel }),
        400: async () => ({ path: `/internal${(await paid()).path}`, body: { carrier: '' } }),
        404: { path: `/internal${missing}/shipments`, body: parcel },
        409: async () => ({ path: `/internal${(await shipped({}, '/shipments')).path}`, body: parcel }),
      },
      'get /internal/order-demands': { 200: { path: `/internal/order-demands?id=${alice}` }, 400: {} },
      'get /internal/shipped-orders': { 200: { path: `/internal/shipped-orders?id=${alice}` }, 400: {} },
      'get /internal/shown-orders': {
        200: async () => ({ path: `/internal/shown-orders?id=${await customer.placed()}&event=${alice}` }),
        400: {},
      },
      'get /internal/orders/{id}/lines': {
        200: async () => ({ path: `/internal/orders/${await customer.placed()}/lines` }),
        400: { path: `/internal${undecodable}/lines` },
        404: { path: `/internal${missing}/lines` },
      },
      'get /internal/orders': {
        200: { path: `/internal/orders?accountId=${alice}` },
        400: { path: '/internal/orders?status=SOLD' },
      },
      'post /internal/orders/{id}/cancellation': {
        200: async () => ({ path: `/internal${(await cancelled()).path}`, body: { reason: 'why' } }),
        201: async () => ({
          path: `/internal/orders/${await customer.placed()}/cancellation`,
          body: { reason: 'why' },
        }),
        404: { path: `/internal${missing}/cancellation`, body: { reason: 'why' } },
        409: async () => ({ path: `/internal${(await shipped({}, '/cancellation')).path}`, body: { reason: 'why' } }),
      },
      'put /internal/orders/{id}/notes/{noteId}': {
        204: async () => ({ path: `/internal/orders/${await customer.placed()}/notes/${randomUUID()}`, body: note }),
        404: { path: `/internal${missing}/notes/${randomUUID()}`, body: note },
        async 409() {
          const path = `/internal/orders/${await customer.placed()}/notes/${randomUUID()}`;
          await request(order.app).put(path).send(note).expect(204);
          return { path, body: { text: 'Another text.' } };
        },
      },
      'get /internal/orders/{id}/payment-token': {
        200: async () => ({ path: `/internal/orders/${await paying()}/payment-token` }),
        400: { path: `/internal${undecodable}/payment-token` },
        404: { path: `/internal${missing}/payment-token` },
      },
      'put /internal/orders/{id}/payment': {
        204: async () => ({ path: `/internal/orders/${await paying()}/payment`, body: action }),
        400: async () => ({
          path: `/internal/orders/${await paying()}/payment`,
          body: { ...action, nextAction: null },
        }),
        404: { path: `/internal${missing}/payment`, body: action },
      },
      'get /internal/stuck-orders': { 200: {}, 400: { path: '/internal/stuck-orders?seconds=0' } },
      'get /internal/orders/{id}': {
        200: async () => ({ path: `/internal/orders/${await customer.placed()}` }),
        400: { path: `/internal${undecodable}` },
        404: { path: `/internal${missing}` },
      },
    },
  };
  describeContract(contract);

  const shippingAddress = { name: 'Ada', lines: ['1'], postalCode: '1', city: 'Lisbon', region: 'L', country: 'PT' };
  const payment = { token: 'card-ok' };
  const more = { expectedTotal: { amount: 9, currency: 'USD' }, shippingAddress, metadata: { shop: 'web' }, payment };

  describeFuzz({
    ...contract,
    // Without the stream, whose reply has no end
    routes: contract.routes.filter(({ path }) => path !== '/orders/events'),
    valid: {
      'post /orders': { body: { customerId: alice, ...body, ...more } },
      'patch /orders/{id}': () => placed({ body: { status: 'CANCELLED', version: 1 } }),
      'post /orders/{id}/shipments': () => paid({ body: parcel, headers: operator }),
    },
    readState: async () => ({
      ...(await rowCounts(order.prisma)),
      untouched: await order.prisma.order.count({ where: { status: 'PENDING', deletedAt: null } }),
    }),
  });
});
