import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/postgres/database.ts';
import { stockRoutes } from '../src/routes.ts';
import { type TestInventory, testInventory } from './_inventory.ts';

let database: TestDatabase;
let inventory: TestInventory;

beforeAll(async () => {
  database = await createTestDatabase('inventory');
  inventory = testInventory(database.url);
});

afterAll(async () => {
  await inventory.close();
  await database.drop();
});

const existing = async () => ({ path: `/stock/${await inventory.setStock(5)}` });

describeFuzz({
  routes: stockRoutes({} as never),
  app: () => inventory.app,
  valid: {
    'get /stock/{productId}': existing,
    'put /stock/{productId}': async () => ({ ...(await existing()), body: { available: 7 } }),
  },
  readState: () => inventory.rowCounts(),
});
