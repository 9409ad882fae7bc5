import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { inventoryRoutes } from '../src/routes.ts';
import { orderOf, testInventory, unknown } from './_inventory.ts';

const inventory = useDatabase('inventory').open(testInventory);

async function reserved() {
  const order = orderOf([await inventory.setStock(5), 1]);
  await inventory.take(order.created());
  return { path: `/internal/reservations/${order.orderId}` };
}
const existing = async () => ({ path: `/stock/${await inventory.setStock(5)}` });

describeFuzz({
  routes: inventoryRoutes({} as never, {} as never),
  app: () => inventory.app,
  valid: {
    'get /products/availability': { path: `/products/availability?id=${unknown}` },
    'get /internal/reservations/{orderId}': reserved,
    'get /stock/{productId}': existing,
    'put /stock/{productId}': async () => ({ ...(await existing()), body: { available: 7 } }),
  },
  readState: () => inventory.rowCounts(),
});
