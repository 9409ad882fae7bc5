import { parse } from 'yaml';
import { renderGateway } from '../../tools/local/components/gateway.ts';
import { topology } from '../../tools/topology/topology.ts';
import { read } from '../kit/read.ts';
import { ACCOUNT, COOKIE, useGateway, withGateway } from './_fixture.ts';

// Compares docs/openapi.yaml with what Envoy routes and answers, in both directions.

interface Documented {
  headers?: Record<string, object>;
}
interface OpenApi {
  paths: Record<string, Record<string, { security: object[]; responses: Record<string, Documented> }>>;
  components: { responses: Record<string, Documented> };
}

const { paths, components }: OpenApi = parse(read('docs/openapi.yaml'));
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);
const gateway = useGateway();

function serviceOf(path: string): string | null {
  const covers = (prefix: string) => `${path}/`.startsWith(`${prefix}/`);
  const [prefix = ''] = Object.keys(topology.routes)
    .filter(covers)
    .sort((one, other) => other.length - one.length);
  return topology.routes[prefix]?.alias ?? null;
}

it('routes each documented operation to its service, with a token if the document requires one', async () => {
  expect(operations.length).toBeGreaterThan(20);
  for (const { method, path, security } of operations) {
    const send = async (headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${gateway.port}${path.replaceAll(/\{\w+\}/g, ACCOUNT)}`;
      const { status, headers: got } = await fetch(url, { method, headers });
      return { method, path, status, service: got.get('x-service') };
    };
    const reached = { method, path, status: 200, service: serviceOf(path) };
    expect(await send({ cookie: COOKIE })).toEqual(reached);
    expect(await send({})).toEqual(security.length === 0 ? reached : { method, path, status: 401, service: null });
  }
});

it('documents at least one operation below every prefix that Envoy routes to a service', async () => {
  const { 'envoy.yaml': config } = await renderGateway({});
  const routes = [
    ...config.matchAll(/match: {"(?:path_separated_prefix":"|safe_regex":{"regex":")([^"(]+)(\(.*?\)\?)?"/g),
  ];
  const prefixes = routes.map(([, prefix = '']) => prefix.replaceAll('[^/]+', '{id}'));
  const { closed }: { closed: string[] } = parse(read('charts/store/values.yaml'), { merge: true }).gateway;
  expect(prefixes.sort()).toEqual([...Object.keys(topology.routes), ...closed, '/external'].sort());
  const isDocumented = (prefix: string) => operations.some(({ path }) => serviceOf(path) && path.startsWith(prefix));
  // Below /payments are pages of a payment, and callbacks of its provider.
  expect(prefixes.filter((prefix) => !isDocumented(prefix))).toEqual(['/external', '/payments']);
});

describe("the gateway's own answers", () => {
  /** Headers that any answer may have; documents do not name them. */
  const ofAnyAnswer = new Set('connection content-length content-type date server vary x-request-id'.split(' '));
  const headersOf = ({ headers }: Response) => [...headers.keys()].filter((name) => !ofAnyAnswer.has(name)).sort();
  const documented = ({ headers = {} }: Documented = {}) =>
    Object.keys(headers)
      .map((name) => name.toLowerCase())
      .sort();

  it('to too many requests have the documented headers, whether or not the operation has its own 429', () =>
    withGateway({ limits: { requests: { perSecond: 1, burst: 1 } } }, async ({ port }) => {
      await fetch(`http://127.0.0.1:${port}`);
      const answer = await fetch(`http://127.0.0.1:${port}/products`);
      expect(answer.status).toBe(429);
      expect(headersOf(answer)).toEqual(['ratelimit', 'ratelimit-policy', 'retry-after']);
      expect(documented(components.responses.TooManyRequests)).toEqual(headersOf(answer));
      const own = operations.map(({ responses }) => responses[429]).filter((response) => response?.headers);
      expect(own.length).toBeGreaterThan(1);
      for (const response of own) expect(documented(response)).toEqual(headersOf(answer));
    }));

  it('in place of an unavailable service have the documented headers', async () => {
    await gateway.services.product.down();
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/products`, { headers: { cookie: COOKIE } });
    await gateway.services.product.up();
    expect(answer.status).toBe(503);
    expect(documented(components.responses.Unavailable)).toEqual(headersOf(answer));
  });
});
