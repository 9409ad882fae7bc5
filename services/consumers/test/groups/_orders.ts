import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export const line = {
  productId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  quantity: 3,
  unitPrice: { amount: 4.25, currency: 'USD' },
};

/** The order service as a test wants it: each customer has every order, but for the deleted ones. */
export async function fakeOrders() {
  const orders = { status: 200, deleted: new Set<string>(), asked: [] as IncomingHttpHeaders[] };
  const server = createServer((req, res) => {
    orders.asked.push(req.headers);
    const isDeleted = orders.deleted.has(req.url?.split('/')[2] ?? '');
    res.writeHead(isDeleted ? 404 : orders.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ items: [line] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    orders,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
