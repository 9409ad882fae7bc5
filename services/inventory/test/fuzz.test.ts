import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { stockRoutes } from '../src/routes.ts';
import { testInventory, unknown } from './_inventory.ts';

const inventory = useDatabase('inventory').open(testInventory);

const existing = async () => ({ path: `/stock/${await inventory.setStock(5)}` });

describeFuzz({
  routes: stockRoutes({} as never),
  app: () => inventory.app,
  valid: {
    'get /products/availability': { path: `/products/availability?id=${unknown}` },
    'get /stock/{productId}': existing,
    'put /stock/{productId}': async () => ({ ...(await existing()), body: { available: 7 } }),
  },
  readState: () => inventory.rowCounts(),
});
