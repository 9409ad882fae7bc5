import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** A service that the group calls, for all tests of a file, with the requests of each test. */
export function useOtherService(answerTo: (path: string) => { status?: number; body?: unknown }) {
  const service = { url: '', asked: [] as Asked[] };
  const server = createServer(async (req, res) => {
    const { url: path = '', headers, method } = req;
    service.asked.push({ path, headers, body: method === 'GET' ? undefined : await json(req) });
    const { status = 200, body = {} } = answerTo(path);
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    service.asked = [];
  });
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return service;
}

export const line = {
  productId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Tea <b>of May</b>',
  quantity: 3,
  unitPrice: { amount: 4.25, currency: 'USD' },
};
