import { randomUUID } from 'node:crypto';
import { accountDataPath } from '@store/shared/contracts/account-data';
import { openDatabase } from '@store/shared/database/database';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { customerId } from '../consumer/_fixture.ts';
import { groups, paid, partlyRefunded, type TestGroup, testGroup, withMails } from './_group.ts';
import { line, useOtherService } from './_other-service.ts';

const database = useDatabase('consumers');
const service = useOtherService(() => ({ body: { items: [line] } }));

interface Case {
  /** Its collections, and well-formed cursors with values that the collection never returned. */
  collections: { path: string; forged: string[][] }[];
  /** Whether the export of an account has one record for all events of a customer; default: one for each event. */
  sums?: true;
  /** Routes that customers may call, each with the path of a row of theirs. */
  own?: Record<string, (group: TestGroup) => Promise<string>>;
  /** Calls of its other routes, by documented status. */
  calls?: (group: TestGroup) => Contract['calls'];
  /** The number of rows that the group has. */
  count: (group: TestGroup) => Promise<number>;
}

/** Facts about each group. */
const cases: Record<string, Case> = {
  'notification-group': {
    collections: [{ path: '/notifications', forged: [['notifications;createdAt,desc', '2026-02-30']] }],
    calls(group) {
      const path = async (copy: string) =>
        `/internal/notifications/${(await group.prisma.notification.findFirstOrThrow()).id}/copies/${copy}`;
      return {
        'put /internal/notifications/{id}/copies/{copyId}': {
          204: async () => ({ path: await path(randomUUID()) }),
          409: async () => ({ path: await path((await group.prisma.notification.findFirstOrThrow()).id) }),
        },
      };
    },
    count: ({ prisma }) => prisma.notification.count(),
  },
  'analytics-group': {
    collections: [{ path: '/figures', forged: [['figures;day,desc', '2026-02-30']] }],
    count: ({ prisma }) => prisma.dailyFigures.count(),
  },
  'invoice-group': {
    collections: [
      { path: '/invoices', forged: [['invoices;number,desc', '1;drop']] },
      { path: '/credit-notes', forged: [['credit-notes;number,desc', '1;drop']] },
    ],
    own: {
      '/orders/{id}/invoice': async ({ prisma }) =>
        `/orders/${(await prisma.invoice.findFirstOrThrow()).orderId}/invoice`,
      '/orders/{id}/credit-notes': async ({ prisma }) =>
        `/orders/${(await prisma.creditNote.findFirstOrThrow()).orderId}/credit-notes`,
      '/orders/{id}/credit-notes/{number}': creditNotePath,
    },
    calls: (group) => ({
      'get /internal/orders/{id}/credit-notes/{number}': {
        200: async () => ({ path: `/internal${await creditNotePath(group)}` }),
      },
      'get /internal/orders/{id}/invoice': {
        200: async () => ({
          path: `/internal/orders/${(await group.prisma.invoice.findFirstOrThrow()).orderId}/invoice`,
        }),
      },
      'get /store/orders/{id}/invoice': { 200: () => ofStore(group, 'invoice') },
      'get /store/orders/{id}/credit-notes': {
        200: () => ofStore(group, 'credit-notes'),
        400: () => ofStore(group, 'credit-notes?size=101'),
      },
    }),
    count: ({ prisma }) => prisma.invoice.count(),
  },
  'webhook-group': {
    collections: [],
    calls: webhookCalls,
    count: async ({ prisma }) =>
      (await prisma.webhook.count()) + (await prisma.webhookSecret.count()) + (await prisma.webhookDelivery.count()),
  },
};

const headers = { 'account-roles': 'operator' };

/** An operator's call for documents of an order that has some. */
async function ofStore({ prisma }: TestGroup, documents: string) {
  const { orderId } = await prisma.creditNote.findFirstOrThrow();
  return { path: `/store/orders/${orderId}/${documents}`, headers };
}

function webhookCalls(group: TestGroup): Contract['calls'] {
  const webhook = { url: 'http://127.0.0.1:1/hook', kinds: ['OrderPaid'], ordered: true };
  const made = async (below = '', more: object = {}) => {
    const { body } = await request(group.app)
      .post('/webhooks')
      .set({ ...headers, 'id-account': customerId })
      .send(webhook)
      .expect(201);
    return { path: `/webhooks/${body.id}${below}`, headers, ...more };
  };
  async function delivered() {
    const { path } = await made();
    await request(group.app)
      .post(`${path}/tests`)
      .set({ ...headers, 'id-account': customerId })
      .expect(202);
    const [{ id } = { id: '' }] = await group.prisma.webhookDelivery.findMany({
      where: { webhookId: path.split('/').at(-1) ?? '' },
    });
    return { path: `${path}/deliveries/${id}/attempts`, headers };
  }
  const inside = async (call: Promise<{ path: string }>) => ({
    ...(await call),
    path: `/internal${(await call).path}`,
  });
  const change = { body: { url: 'http://127.0.0.1:1/other', kinds: ['OrderShipped'], state: 'PAUSED' } };
  const replay = { body: { from: '2026-01-31T00:00:00Z', to: '2026-02-01T00:00:00Z', kinds: ['OrderPaid'] } };
  return {
    'get /webhooks': { 200: { headers } },
    'post /webhooks': {
      201: { headers, body: webhook },
      async 409() {
        await group.prisma.webhook.createMany({
          data: Array.from({ length: 1_000 }, () => ({ ...webhook, id: randomUUID(), createdBy: 'many' })),
        });
        return { headers, body: webhook };
      },
    },
    'get /webhooks/{id}': { 200: () => made() },
    'patch /webhooks/{id}': { 200: () => made('', change) },
    'delete /webhooks/{id}': { 204: () => made() },
    'post /webhooks/{id}/secrets': { 201: () => made('/secrets') },
    'post /webhooks/{id}/tests': { 202: () => made('/tests') },
    'get /webhooks/{id}/deliveries': {
      200: () => made('/deliveries'),
      400: () => made('/deliveries?size=101'),
    },
    'post /webhooks/{id}/deliveries/{deliveryId}/attempts': { 202: delivered },
    'post /webhooks/{id}/replays': { 202: () => made('/replays', replay) },
    'get /internal/webhooks': { 200: {} },
    'patch /internal/webhooks/{id}': { 200: () => inside(made('', change)) },
    'get /internal/webhooks/{id}/deliveries': {
      200: () => inside(made('/deliveries')),
      400: () => inside(made('/deliveries?size=101')),
    },
    'post /internal/webhooks/{id}/deliveries/{deliveryId}/attempts': { 202: () => inside(delivered()) },
    'post /internal/webhooks/{id}/replays': { 202: () => inside(made('/replays', replay)) },
  };
}

async function creditNotePath({ prisma }: TestGroup): Promise<string> {
  const { orderId, number } = await prisma.creditNote.findFirstOrThrow();
  return `/orders/${orderId}/credit-notes/${number}`;
}

const nowhere = 'http://127.0.0.1:1';
/** Leaves out the routes that only developers have. */
const undocumented = {
  config: {
    APP_PROFILE: 'prod',
    ACCOUNT_URL: nowhere,
    ORDER_URL: nowhere,
    WEBHOOK_KEYS: [Buffer.alloc(32)],
    WEBHOOK_OWN_RANGES: [],
  },
  database: openDatabase(PrismaClient, unreachableDatabaseUrl),
};

it('the contract has a case for each group', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(groups).sort());
});

const allCollections = Object.values(cases).flatMap(({ collections }) => collections);

describe.each(Object.entries(cases))('%s', (name, { collections, sums, own = {}, calls }) => {
  // Used only for the OpenAPI document; requests go to the application.
  const routes = groups[name]?.(undocumented as never).routes ?? [];
  const keepsPersons = routes.some((route) => route.path === accountDataPath);
  const group = database.open((url) => testGroup(url, name, { ORDER_URL: service.url, ...withMails }));
  const restricted = database.open((url) => testGroup(url, name, { INTERNAL_CREDENTIALS: newCredential() }));
  /** Calls of an operator, who may send a credential instead of an account. */
  const operators = {
    401: { headers: { 'id-account': 'nobody' } },
    403: { headers: { 'id-account': '' }, app: () => restricted.app },
  };
  const unavailable = database.open(() => testGroup(unreachableDatabaseUrl, name));

  beforeAll(async () => {
    const order = paid();
    await group.handle(order, paid(), paid());
    if (name === 'invoice-group') await group.handle(partlyRefunded(order.key), partlyRefunded(order.key));
  });

  const contract: Contract = {
    routes,
    app: () => group.app,
    unavailableApp: () => unavailable.app,
    restrictedApp: () => restricted.app,
    accountId: customerId,
    calls: {
      ...Object.fromEntries(
        collections.map(({ path }) => [
          `get ${path}`,
          { 200: { path: `${path}?size=2` }, 400: { path: `${path}?size=101` }, ...operators },
        ]),
      ),
      ...(keepsPersons && {
        [`get ${accountDataPath}`]: { 200: {}, 400: { path: `${accountDataPath}?after=` } },
      }),
      ...calls?.(group),
      ...Object.fromEntries(
        Object.entries(own).map(([path, existing]) => [
          `get ${path}`,
          {
            200: async () => ({ path: await existing(group) }),
            ...(path.endsWith('/credit-notes') && { 400: async () => ({ path: `${await existing(group)}?size=101` }) }),
          },
        ]),
      ),
    },
  };
  afterEach(() => group.prisma.webhook.deleteMany({ where: { createdBy: 'many' } }));
  describeContract(contract);
  describeFuzz({ ...contract, readState: () => Promise.all(Object.values(cases).map(({ count }) => count(group))) });

  if (keepsPersons) {
    it('returns the records of a customer page by page, and none of other customers', async () => {
      const [customer, other] = [randomUUID(), randomUUID()];
      await group.handle(
        ...Array.from({ length: 101 }, () => paid({ customerId: customer })),
        paid({ customerId: other }),
      );
      const pages: Record<string, unknown>[][] = [];
      for (let path = accountDataPath; path !== ''; ) {
        const { records, next } = (await group.get(path).set('id-account', customer)).body;
        pages.push(records);
        path = next === null ? '' : `${accountDataPath}?after=${next}`;
      }
      expect(pages.map(({ length }) => length)).toEqual(sums ? [1] : [100, 1]);
      const records = pages.flat();
      if (!sums) expect(new Set(records.map(({ orderId }) => orderId)).size).toBe(101);
      expect(new Set(records.map(({ customerId }) => customerId))).toEqual(new Set([customer]));
    });
  }

  it('returns 400 for forged cursors', async () => {
    for (const { path } of collections) {
      for (const parts of [['x'], [], ...allCollections.flatMap(({ forged }) => forged)]) {
        const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
        expect((await group.get(`${path}?after=${after}`)).status).toBe(400);
      }
    }
  });

  it('serves only its own collections', async () => {
    for (const one of allCollections) {
      expect((await group.get(one.path)).status).toBe(collections.includes(one) ? 200 : 404);
    }
  });
});
