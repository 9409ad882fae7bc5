import request from 'supertest';
import { describeFuzz } from '../../../../tests/kit/openapi/fuzz.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { orderRoutes } from '../../src/routes.ts';
import { alice, rowCounts, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);

const expectedTotal = { amount: 9, currency: 'USD' };
const body = { customerId: alice, items: [{ productId: tea, quantity: 2 }], expectedTotal };

async function placed(suffix = '') {
  const { headers } = await request(order.app).post('/orders').set('id-account', alice).send(body);
  return { path: `${headers.location}${suffix}` };
}

async function cancelled() {
  const { path } = await placed('/cancellation');
  await request(order.app).post(path).set('id-account', alice);
  return { path };
}

describeFuzz({
  // Without the stream, whose answer has no end
  routes: orderRoutes({} as never, {} as never).filter(({ path }) => path !== '/orders/events'),
  app: () => order.app,
  accountId: alice,
  valid: {
    'post /orders': { body },
    'get /orders/{id}': () => placed(),
    'patch /orders/{id}': async () => ({ ...(await placed()), body: { status: 'CANCELLED', version: 1 } }),
    'delete /orders/{id}': () => placed(),
    'post /orders/{id}/cancellation': () => placed('/cancellation'),
    'get /orders/{id}/cancellation': () => cancelled(),
  },
  readState: async () => ({
    ...(await rowCounts(order.prisma)),
    untouched: await order.prisma.order.count({ where: { status: 'PENDING', deletedAt: null } }),
  }),
});
