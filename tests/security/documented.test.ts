import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { askAdmin } from './_admin.ts';
import { COOKIE, type Fixture, startFixture, startUnlimited } from './_fixture.ts';

// docs/openapi.yaml and what Envoy routes and answers, compared in both directions.

interface Operation {
  operationId: string;
  tags: string[];
  security: object[];
  responses: Record<string, Documented>;
}
interface Documented {
  headers?: Record<string, object>;
}

let gateway: Fixture;
let document: {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Documented> };
};
let operations: [method: string, path: string, operation: Operation][];

beforeAll(async () => {
  gateway = await startUnlimited();
  document = parse(await readFile(join(root, 'docs/openapi.yaml'), 'utf8'));
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [method.toUpperCase(), path, operation] as (typeof operations)[number],
    ),
  );
});

afterAll(() => gateway?.stop());

const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const id = '0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11';
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path.replaceAll(/\{\w+\}/g, id)}`, {
    method,
    headers,
  });
  return { status: response.status, service: response.headers.get('x-service') };
};

const serviceOf = (path: string) => {
  const [prefix] = Object.keys(topology.routes)
    .filter((one) => path === one || path.startsWith(`${one}/`))
    .sort((one, other) => other.length - one.length);
  return prefix === undefined ? null : topology.routes[prefix]?.alias;
};

it('leads to the service of each documented operation, with a token if the document asks for one', async () => {
  expect(operations.length).toBeGreaterThan(20);
  const found = await Promise.all(
    operations.map(async ([method, path]) => ({
      operation: `${method} ${path}`,
      stranger: await send(method, path),
      customer: await send(method, path, { cookie: COOKIE }),
    })),
  );
  expect(found).toEqual(
    operations.map(([method, path, { security }]) => {
      const reached = { status: 200, service: serviceOf(path) };
      return {
        operation: `${method} ${path}`,
        stranger: security.length === 0 ? reached : { status: 401, service: null },
        customer: reached,
      };
    }),
  );
});

it('documents something of every prefix that Envoy routes to a service', async () => {
  const dump = await askAdmin(gateway.adminSocket, 'GET', '/config_dump');
  const { configs } = JSON.parse(dump.body);
  const hosts = configs
    .flatMap((dump: { static_route_configs?: object[] }) => dump.static_route_configs ?? [])
    .flatMap((dump: { route_config: { virtual_hosts: object[] } }) => dump.route_config.virtual_hosts);
  const { routes } = hosts.find((host: { name: string }) => host.name === 'store');
  const below = '(/.*)?';
  const prefixes: string[] = routes.flatMap(
    ({ match }: { match: { path_separated_prefix?: string; safe_regex?: { regex: string } } }) =>
      match.path_separated_prefix ??
      (match.safe_regex?.regex.endsWith(below)
        ? match.safe_regex.regex.slice(0, -below.length).replaceAll('[^/]+', '{id}')
        : []),
  );
  expect(prefixes.sort()).toEqual([...Object.keys(topology.routes), '/external'].sort());
  const documented = prefixes.filter((prefix) =>
    operations.some(([, path]) => serviceOf(path) && path.startsWith(prefix)),
  );
  expect(documented).toEqual(prefixes.filter((prefix) => prefix !== '/external'));
});

describe("the gateway's own answers", () => {
  /** Headers of any answer: no document names them. */
  const ofAnyAnswer = new Set('connection content-length content-type date server vary x-request-id'.split(' '));
  const headersOf = ({ headers }: Response) => [...headers.keys()].filter((name) => !ofAnyAnswer.has(name)).sort();
  const documented = ({ headers = {} }: Documented = {}) =>
    Object.keys(headers)
      .map((name) => name.toLowerCase())
      .sort();
  let limited: Fixture;

  beforeAll(async () => {
    const few = { perSecond: 1, burst: 1 };
    limited = await startFixture({ limits: { requests: few, credentials: few } });
  });
  afterAll(() => limited?.stop());

  it('to too many requests has the documented headers, whether the operation has a 429 of its own or not', async () => {
    const url = `http://127.0.0.1:${limited.port}`;
    await fetch(url);
    const answer = await fetch(`${url}/products`);
    expect(answer.status).toBe(429);
    expect(headersOf(answer)).toEqual(['ratelimit', 'ratelimit-policy', 'retry-after']);
    expect(documented(document.components.responses.TooManyRequests)).toEqual(headersOf(answer));
    const own = operations.map(([, , { responses }]) => responses[429]).filter((response) => response?.headers);
    expect(own.length).toBeGreaterThan(1);
    for (const response of own) expect(documented(response)).toEqual(headersOf(answer));
  });

  it('in the place of a service that is away has the documented headers', async () => {
    await gateway.services.product.down();
    try {
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/products`, { headers: { cookie: COOKIE } });
      expect(answer.status).toBe(503);
      expect(documented(document.components.responses.Unavailable)).toEqual(headersOf(answer));
    } finally {
      await gateway.services.product.up();
    }
  });
});
