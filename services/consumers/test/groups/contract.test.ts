import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../../tests/kit/database.ts';
import { describeContract } from '../../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../../tests/kit/openapi/fuzz.ts';
import { storedEvent } from '../../../../tests/kit/order-events.ts';
import { customerId } from '../consumer/_fixture.ts';
import { groups, type TestGroup, testGroup } from './_group.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('consumers');
});

afterAll(() => database.drop());

// Only for the document; the requests go to the application.
const routesOf = (name: string) => groups[name]?.({ config: {}, database: {} } as never).routes ?? [];
const cases = [
  ['notification-group', '/notifications', routesOf('notification-group')],
  ['analytics-group', '/figures', routesOf('analytics-group')],
  ['invoice-group', '/invoices', routesOf('invoice-group')],
] as const;

describe.each(cases)('%s', (name, path, routes) => {
  let group: TestGroup;
  const unavailable = testGroup(unreachableDatabaseUrl, name);

  beforeAll(async () => {
    group = testGroup(database.url, name);
    const more = { paymentId: randomUUID(), amount: { amount: 1.5, currency: 'EUR' } as never };
    const paid = () => storedEvent('OrderPaid', { orderId: randomUUID(), customerId, ...more });
    await group.handle(paid(), paid(), paid());
  });

  afterAll(async () => {
    await Promise.all([group.close(), unavailable.close()]);
  });

  describeContract({
    routes,
    app: () => group.app,
    unavailableApp: () => unavailable.app,
    calls: { [`get ${path}`]: { 200: { path: `${path}?size=2` }, 400: { path: `${path}?size=101` } } },
  });

  describeFuzz({
    routes,
    app: () => group.app,
    valid: { [`get ${path}`]: {} },
    readState: async () => ({
      notifications: await group.prisma.notification.count(),
      days: await group.prisma.dailyFigures.count(),
      invoices: await group.prisma.invoice.count(),
    }),
  });

  it('returns 400 for forged cursors', async () => {
    const forged = [['x'], [`${path.slice(1)};day,desc`, '2026-02-30'], ['invoices;number,desc', '1;drop'], []];
    for (const parts of forged) {
      const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
      expect((await group.get(`${path}?after=${after}`)).status).toBe(400);
    }
  });

  it('serves only its own collection', async () => {
    for (const [, other] of cases) expect((await group.get(other)).status).toBe(other === path ? 200 : 404);
  });
});
