import { execa } from 'execa';
import { renderGateway } from '../../../tools/local/components/gateway.ts';
import { gatewayValues } from '../../../tools/local/components/services.ts';
import { fixedPorts } from '../../../tools/local/ports.ts';
import { root } from '../../../tools/paths.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { type Manifest, manifests } from '../_manifests.ts';

const withRoutes = (routes: object) => manifests({ global: { routes } });
const withOpenList = (...open: unknown[]) => manifests({ gateway: { open } });

describe('a prefix that the chart refuses', () => {
  it.each([
    ['orders', /global.routes: "orders" is no prefix: expected is \/ and a segment/],
    ['', /global.routes: "" is no prefix/],
    ['/', /global.routes: "\/" is no prefix/],
    ['/x/', /"\/x\/" is no prefix: .*without a trailing slash/],
    ['//x', /"\/\/x" is no prefix/],
    ['/x/**', /"\/x\/\*\*" is no prefix/],
    ['/x?y', /"\/x\?y" is no prefix/],
    ['/x y', /"\/x y" is no prefix/],
    ['/x%2fy', /"\/x%2fy" is no prefix/],
    ['/x/../y', /contains the segment \. or \.\./],
    ['/.', /contains the segment \. or \.\./],
    ['/external', /\/external belongs to the gateway itself, like \/: choose another/],
    ['/external/x', /\/external\/x belongs to the gateway itself/],
    ['/health-check', /\/health-check belongs to the gateway itself/],
  ])('%s', async (prefix, message) => {
    await expect(withRoutes({ [prefix]: 'order' })).rejects.toThrow(message);
  });

  it.each(['oder', 'gateway', 'postgres', 'Order'])('one that leads to %s, which is no service', async (service) => {
    const message = `leads from /x to ${service}, which is no service of the store: check the name`;
    await expect(withRoutes({ '/x': service })).rejects.toThrow(message);
  });

  it('one that leads to the console', async () => {
    await expect(withRoutes({ '/console': 'console' })).rejects.toThrow(
      /leads from \/console to the console, which is for/,
    );
  });

  it('a prefix set to null, which Helm would ignore in the subcharts', async () => {
    await expect(withRoutes({ '/orders': null })).rejects.toThrow(/To remove a prefix, set it to ""/);
  });
});

describe('an entry of the open list that the chart refuses', () => {
  it.each([
    ['post /auth/login', /"post" is none of the methods GET, .* and ANY, which are written in capitals/],
    ['FETCH /auth/login', /"FETCH" is none of the methods/],
    ['CONNECT /auth/login', /"CONNECT" is none of the methods/],
    ['* /auth/login', /"\*" is none of the methods/],
    ['/auth/login', /exactly one space is expected, between method and path/],
    ['POST', /exactly one space/],
    ['', /exactly one space/],
    ['POST  /auth/login', /exactly one space/],
    ['POST /auth/login ', /exactly one space/],
    [' POST /auth/login', /exactly one space/],
    ['POST\t/auth/login', /exactly one space/],
    ['POST /auth/log in', /exactly one space/],
    ['POST,GET /auth/login', /is none of the methods/],
    ['POST auth/login', /the path has to start with \//],
    ['POST http://store/auth/login', /the path has to start with \//],
    ['POST /auth/login?x=y', /a path has no query/],
    ['POST /auth/login#x', /a path has no query/],
    ['POST /auth/*', /\* is only possible at the end of a prefix, as \/\*\*/],
    ['POST /auth/**/login', /\* is only possible at the end/],
    ['POST /auth/log**', /\* is only possible at the end/],
    ['POST /auth/*/**', /\* is only possible at the end/],
    ['POST /auth/login/', /must not end in \//],
    ['POST /auth//**', /must not end in \//],
    ['POST /auth//login', /empty segments, \. and \.\. never match/],
    ['POST /auth/./login', /empty segments/],
    ['POST /orders/../auth/login', /empty segments/],
    ['POST /auth/log%69n', /not percent-encoded/],
    ['POST /auth/{id}', /a path consists of letters/],
    ['POST /auth\\login', /a path consists of letters/],
    ['GET /', /the gateway answers \/ and \/health-check itself/],
    ['GET /health-check', /the gateway answers \/ and \/health-check itself/],
    ['GET /nothing', /no route leads there\. Expected is a path under a prefix of global\.routes/],
    ['GET /AUTH/login', /no route leads there/],
    ['GET /api', /no route leads there/],
    ['GET /externalx/**', /no route leads there/],
  ])('%j', async (entry, message) => {
    const rendering = withOpenList('GET /auth/logout', entry);
    await expect(rendering).rejects.toThrow(message);
    await expect(rendering).rejects.toThrow(`gateway.open: ${JSON.stringify(entry)}`);
    await expect(rendering).rejects.toThrow(/Expected is/);
  });

  it('an entry that is listed twice', async () => {
    const message = /gateway.open: "GET \/auth\/logout" is refused: it is listed twice/;
    await expect(withOpenList('GET /auth/logout', 'POST /auth/login', 'GET /auth/logout')).rejects.toThrow(message);
  });

  it.each([[7], [{ 'POST /auth/login': true }], [null]])('%j, which is not a string', async (entry) => {
    await expect(withOpenList(entry)).rejects.toThrow(/gateway[\s\S]*\/open\/0/);
  });

  it('an entry whose route was removed', async () => {
    await expect(withRoutes({ '/auth': '' })).rejects.toThrow(
      /"POST \/auth\/register" is refused: no route leads there/,
    );
  });
});

describe('a routed service', () => {
  it('is called, by policy too, at the addresses of its replicas', async () => {
    const { ofKind, named } = await withRoutes({ '/stock': 'inventory', '/api/v1/status': '' });
    const routed = Object.values(topology.routes).map(({ alias }) => alias);
    const services = [...new Set([...routed.filter((alias) => alias !== 'status'), 'inventory'])].sort();

    const headless = ofKind('Service').filter(
      ({ spec }) => spec.clusterIP === 'None' && !spec.publishNotReadyAddresses,
    );
    expect(headless.map(({ metadata }) => metadata.name)).toEqual(services.map((name) => `${name}-pods`));
    const labels = Object.keys(named('Deployment', 'gateway').spec.template.metadata.labels);
    expect(labels.filter((label) => label.startsWith('calls/'))).toEqual(services.map((name) => `calls/${name}`));
    const { egress }: { egress: Manifest[] } = named('NetworkPolicy', 'gateway').spec;
    const peers = egress.flatMap(({ to }) => to[0].podSelector?.matchLabels['app.kubernetes.io/name'] ?? []);
    expect(peers).toEqual(services);
    expect(named('ConfigMap', 'gateway').data['envoy.yaml']).toContain('{address: "inventory-pods", port_value: 8080}');
  });

  it('auth is called even if no prefix leads to it', async () => {
    const { named } = await manifests({ global: { routes: { '/auth': '' } }, gateway: { open: [] } });
    expect(named('Service', 'auth-pods')).toBeDefined();
  });
});

describe('the shop', () => {
  const rendered = (shop: object, image = {}) => manifests({ global: { shop, image } });

  it.each([{}, { image: 'registry.example.com/brand/shop:1' }])('is not there by default: %j', async (shop) => {
    expect(JSON.stringify((await rendered(shop)).all)).not.toMatch(/shop-pods|cluster: shop|brand/);
  });

  it('is served below /shop, open for reading only', async () => {
    const { all, named } = await rendered({ enabled: true });
    const own = all.filter(({ metadata }) => metadata.name.startsWith('shop')).map(({ kind }) => kind);
    expect(own.sort()).toEqual(['Deployment', 'NetworkPolicy', 'Service']);
    const envoy: string = named('ConfigMap', 'gateway').data['envoy.yaml'];
    const matches = [...envoy.matchAll(/- match: (\{.*"path_separated_prefix":"\/shop".*\})/g)].map(([, json]) =>
      JSON.parse(json ?? ''),
    );
    expect(matches.map(({ headers }) => headers?.[0].string_match.exact)).toEqual(['GET', 'HEAD', undefined]);
  });

  const digest = `sha256:${'b'.repeat(64)}`;
  const mirror = { digests: { shop: digest }, registry: 'mirror.test' };
  it.each([
    ['that of the release', {}, {}, 'registry.example.com/store/shop:0.1.0'],
    ['of the tag of make images', {}, { tags: { shop: '4f1c9a' }, repository: 'store' }, 'store/shop:4f1c9a'],
    ['of the digest of the release', {}, mirror, `mirror.test/store/shop:0.1.0@${digest}`],
    ['your own, without one', { image: 'registry.example.com/brand/shop:1' }, mirror, 'mirror.test/brand/shop:1'],
  ])('has an image that is %s', async (_, shop, image, expected) => {
    const { podOf } = await rendered({ enabled: true, ...shop }, image);
    expect(podOf('shop').containers[0].image).toBe(expected);
  });
});

describe('the origins that may call', () => {
  const shop = 'http://localhost:3000';
  const corsOf = (env: Record<string, string>) => gatewayValues(env, fixedPorts({})).cors;

  it.each([
    [{}, [shop], true],
    [{ CORS_ALLOWED_ORIGINS: '' }, [], true],
    [
      { CORS_ALLOWED_ORIGINS: ' http://a.test, https://b.test:8443 ,', CORS_ALLOWED_CREDENTIALS: 'false' },
      ['http://a.test', 'https://b.test:8443'],
      false,
    ],
    [{ CORS_ALLOWED_CREDENTIALS: '' }, [shop], true],
  ])('are in two variables of the local run: %j', (env, allowedOrigins, allowedCredentials) => {
    expect(corsOf(env)).toEqual({ allowedOrigins, allowedCredentials });
  });

  it.each([
    [
      { CORS_ALLOWED_ORIGINS: 'http://localhost:3000, http://localhost:5555/' },
      'CORS_ALLOWED_ORIGINS has http://localhost:5555/, which is no origin. One looks like http://localhost:5173.',
    ],
    [{ CORS_ALLOWED_CREDENTIALS: 'yes' }, 'CORS_ALLOWED_CREDENTIALS=yes is neither'],
  ])('are refused: %j', (env, message) => {
    expect(() => corsOf(env)).toThrow(message);
  });

  it('are in the help of make run', async () => {
    const args = ['tools/local/commands/run.ts', '--help'];
    const { stdout } = await execa(process.execPath, args, { cwd: root });
    expect(stdout).toMatch(/CORS_ALLOWED_ORIGINS +.*by default http:\/\/localhost:3000/);
    expect(stdout).toMatch(/CORS_ALLOWED_CREDENTIALS +.*by default true/);
  });

  it.each([
    ['none by default', {}, [], 'true'],
    [
      'those of the values',
      { allowedOrigins: ['http://a.test', shop], allowedCredentials: false },
      ['http://a.test', shop],
      'false',
    ],
  ])('are in the policy of Envoy: %s', async (_, cors, origins, credentials) => {
    const config = (await renderGateway({ cors }))['envoy.yaml'];
    const [policy = ''] = /allow_origin_string_match:[\s\S]*?allow_credentials: \w+/.exec(config) ?? [];
    expect([...policy.matchAll(/- exact: "(.*)"/g)].map(([, origin]) => origin)).toEqual(origins);
    expect(/allow_credentials: (\w+)/.exec(policy)?.[1]).toBe(credentials);
  });
});
