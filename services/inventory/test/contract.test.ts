import { randomUUID } from 'node:crypto';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { inventoryRoutes } from '../src/routes.ts';
import { orderOf, testInventory, unknown } from './_inventory.ts';

const database = useDatabase('inventory');
const inventory = database.open(testInventory);
const restricted = database.open((url) =>
  testInventory(url, {
    env: { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() },
  }),
);
const unavailable = testInventory(unreachableDatabaseUrl);

afterAll(() => unavailable.close());

const existing = async (call: object = {}) => ({ path: `/stock/${await inventory.setStock(5)}`, ...call });
const body = { available: 7 };

describeContract({
  // Only for the document; the requests go to the application.
  routes: inventoryRoutes({} as never, {} as never),
  app: () => inventory.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  calls: {
    'get /internal/reservations/{orderId}': {
      async 200() {
        const order = orderOf([await inventory.setStock(5), 1]);
        await inventory.take(order.created());
        return { path: `/internal/reservations/${order.orderId}` };
      },
      400: { path: '/internal/reservations/%ff' },
      404: { path: `/internal/reservations/${randomUUID()}` },
    },
    'get /products/availability': {
      200: async () => ({ path: `/products/availability?id=${await inventory.setStock(5)}&id=${unknown}` }),
      400: { path: '/products/availability' },
    },
    'get /stock/{productId}': {
      200: () => existing(),
      400: { path: '/stock/%ff' },
      404: { path: `/stock/${unknown}` },
    },
    'put /stock/{productId}': {
      200: () => existing({ body }),
      201: () => ({ path: `/stock/${randomUUID()}`, body }),
      400: () => existing({ body: { available: -1 } }),
      404: { path: `/stock/${unknown}`, body },
    },
  },
});
