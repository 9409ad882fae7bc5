import type { IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from '../../../../tests/kit/listen.ts';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** A fake of a service that the group calls, for all tests of a file. `asked` has the requests of the current test. */
export function useOtherService(answerTo: (path: string) => { status?: number; body?: unknown }) {
  const service = { url: '', asked: [] as Asked[] };
  beforeAll(async () => {
    service.url = await serve(async (req, res) => {
      const { url: path = '', headers, method } = req;
      service.asked.push({ path, headers, body: method === 'GET' ? undefined : await json(req) });
      const { status = 200, body = {} } = answerTo(path);
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  beforeEach(() => {
    service.asked = [];
  });
  return service;
}

export const line = {
  productId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  name: 'Tea <b>of May</b>',
  sku: 'TEA<1>',
  quantity: 3,
  unitPrice: { amount: 4.25, currency: 'USD' },
};
