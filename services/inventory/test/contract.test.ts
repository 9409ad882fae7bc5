import { randomUUID } from 'node:crypto';
import { readConfig } from '@store/shared/values/environment';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { configSchema } from '../src/config.ts';
import { inventoryRoutes } from '../src/routes.ts';
import { alice, orderOf, testInventory, unknown } from './_inventory.ts';

const database = useDatabase('inventory');
const inventory = database.open(testInventory);
const restricted = database.open((url) =>
  testInventory(url, {
    env: { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() },
  }),
);
const unavailable = database.open(() => testInventory(unreachableDatabaseUrl));

const existing = async (call: object = {}) => ({ path: `/stock/${await inventory.setStock(5)}`, ...call });
async function reserved() {
  const order = orderOf([await inventory.setStock(5), 1]);
  await inventory.take(order.created());
  return { path: `/internal/reservations/${order.orderId}` };
}
const body = { available: 7 };
const nobody = { 'id-account': 'x' };
const own = { 'id-account': alice };
const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: inventoryRoutes({} as never, {} as never),
  app: () => inventory.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  calls: {
    'get /internal/account-data': {
      200: { headers: own },
      400: { headers: own, path: '/internal/account-data?after=' },
    },
    'get /internal/reservations/{orderId}': {
      200: reserved,
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
      401: () => existing({ headers: nobody }),
      403: () => existing({ app: () => restricted.app }),
      404: { path: `/stock/${unknown}` },
    },
    'put /stock/{productId}': {
      200: () => existing({ body }),
      201: () => ({ path: `/stock/${randomUUID()}`, body }),
      400: () => existing({ body: { available: -1 } }),
      401: () => existing({ body, headers: nobody }),
      403: () => existing({ body, app: () => restricted.app }),
      404: { path: `/stock/${unknown}`, body },
    },
  },
};
describeContract(contract);
describeFuzz({ ...contract, readState: () => inventory.rowCounts() });

it('returns only the reservations of the customer for the account export', async () => {
  const { items, orderId, created, customerId } = orderOf([await inventory.setStock(5), 1]);
  await inventory.take(created());
  const read = async (account: string) =>
    (await request(inventory.app).get('/internal/account-data').set('id-account', account).expect(200)).body;
  expect((await read(customerId)).records).toContainEqual(
    expect.objectContaining({ orderId, status: 'RESERVED', items }),
  );
  expect(await read(randomUUID())).toEqual({ records: [], next: null });
});

it('names all invalid variables of the configuration', () => {
  const env = { DATABASE_URL: '', KAFKA_BROKERS: 'nowhere', PRODUCT_URL: 'x', ORDER_URL: 'x', INITIAL_STOCK: '-1' };
  const read = () => readConfig(configSchema, env);
  for (const name of Object.keys(env)) expect(read).toThrow(name);
});
