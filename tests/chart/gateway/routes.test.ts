import { execa } from 'execa';
import { renderGateway } from '../../../tools/local/components/gateway.ts';
import { gatewayValues } from '../../../tools/local/components/services.ts';
import { fixedPorts } from '../../../tools/local/ports.ts';
import { root } from '../../../tools/paths.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { type Manifest, manifests } from '../_manifests.ts';

const withRoutes = (routes: object) => manifests({ global: { routes } });

describe('a prefix that the chart refuses', () => {
  it.each([
    ['orders', 'order', '"orders" is not a prefix. Expected is / and a segment'],
    ['/', 'order', '"/" is not a prefix'],
    ['/x/', 'order', 'without a trailing slash'],
    ['//x', 'order', '"//x" is not a prefix'],
    ['/x%2fy', 'order', '"/x%2fy" is not a prefix'],
    ['/x/../y', 'order', 'contains the segment . or ..'],
    ['/.', 'order', 'contains the segment . or ..'],
    ['/external/x', 'order', '/external/x belongs to the gateway itself'],
    ['/health-check', 'order', '/health-check belongs to the gateway itself'],
    ['/x', 'oder', 'leads from /x to oder, which is not a service of the store: check the name'],
    ['/x', 'gateway', 'leads from /x to gateway, which is not a service'],
    ['/x', 'postgres', 'leads from /x to postgres, which is not a service'],
    ['/x', 'console', 'leads from /x to the console, which is for'],
    ['/orders', null, 'To remove a prefix, set it to ""'], // Helm would ignore it in the subcharts
    ['/auth', '', '"POST /auth/register" is refused: no route leads there'], // the open list has it
  ])('%s to %s', async (prefix, service, message) => {
    await expect(withRoutes({ [prefix]: service })).rejects.toThrow(message);
  });
});

describe('an entry of the open list that the chart refuses', () => {
  it.each([
    ['post /auth/login', '"post" is not one of the methods GET, HEAD'],
    ['* /auth/login', '"*" is not one of the methods'],
    ['POST,GET /auth/login', 'is not one of the methods'],
    ['', 'exactly one space is expected, between method and path'],
    ['POST  /auth/login', 'exactly one space'],
    ['POST /auth/login ', 'exactly one space'],
    ['POST\t/auth/login', 'exactly one space'],
    ['POST http://store/auth/login', 'the path must start with /'],
    ['POST /auth/login?x=y', 'a path has no query'],
    ['POST /auth/login#x', 'a path has no query'],
    ['POST /auth/**/login', '* is only allowed at the end of a prefix, as /**'],
    ['POST /auth/log**', '* is only allowed at the end'],
    ['POST /auth/login/', 'must not end in /'],
    ['POST /auth//login', 'empty segments, . and .. never match'],
    ['POST /orders/../auth/login', 'empty segments'],
    ['POST /auth/log%69n', 'not percent-encoded'],
    ['POST /auth/{id}', 'a path consists of letters'],
    ['GET /', 'the gateway answers / and /health-check itself'],
    ['GET /AUTH/login', 'no route leads there'],
    ['GET /externalx/**', 'no route leads there. Expected is a path under a prefix of global.routes'],
    ['GET /auth/logout', 'it is listed twice'],
  ])('%j', async (entry, message) => {
    const rendering = manifests({ gateway: { open: ['GET /auth/logout', entry] } });
    await expect(rendering).rejects.toThrow(message);
    await expect(rendering).rejects.toThrow(`gateway.open: ${JSON.stringify(entry)}`);
  });
});

describe('a routed service', () => {
  it('is called at the addresses of its replicas, and policies allow it', async () => {
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

  it('is called even without a prefix if it is auth', async () => {
    const { named } = await manifests({ global: { routes: { '/auth': '' } }, gateway: { open: [] } });
    expect(named('Service', 'auth-pods')).toBeDefined();
  });
});

describe('the shop', () => {
  const rendered = (shop: object, image = {}) => manifests({ global: { shop, image } });

  it('is served below /shop, and needs no token for reading only', async () => {
    const envoy: string = (await rendered({ enabled: true })).named('ConfigMap', 'gateway').data['envoy.yaml'];
    const matches = [...envoy.matchAll(/- match: (\{.*"path_separated_prefix":"\/shop".*\})/g)];
    const methods = matches.map(([, json = '']) => JSON.parse(json).headers?.[0].string_match.exact);
    expect(methods).toEqual(['GET', 'HEAD', undefined]);
  });

  const digest = `sha256:${'b'.repeat(64)}`;
  const mirror = { digests: { shop: digest }, registry: 'mirror.test' };
  it.each([
    ['from the release', {}, {}, 'registry.example.com/store/shop:0.1.0'],
    ['tagged by make images', {}, { tags: { shop: '4f1c9a' }, repository: 'store' }, 'store/shop:4f1c9a'],
    ['pinned to the digest of the release', {}, mirror, `mirror.test/store/shop:0.1.0@${digest}`],
    ['your own, without a digest', { image: 'registry.example.com/brand/shop:1' }, mirror, 'mirror.test/brand/shop:1'],
  ])('has an image that is %s', async (_, shop, image, expected) => {
    const { podOf } = await rendered({ enabled: true, ...shop }, image);
    expect(podOf('shop').containers[0].image).toBe(expected);
  });
});

describe('the allowed origins', () => {
  const shop = 'http://localhost:3000';
  const corsOf = (env: Record<string, string>) => gatewayValues(env, fixedPorts({})).cors;
  const two = { CORS_ALLOWED_ORIGINS: ' http://a.test, https://b.test:8443 ,', CORS_ALLOWED_CREDENTIALS: 'false' };

  it.each([
    [{}, [shop], true],
    [{ CORS_ALLOWED_ORIGINS: '', CORS_ALLOWED_CREDENTIALS: '' }, [], true],
    [two, ['http://a.test', 'https://b.test:8443'], false],
  ])('are in two variables of the local run: %j', (env, allowedOrigins, allowedCredentials) => {
    expect(corsOf(env)).toEqual({ allowedOrigins, allowedCredentials });
  });

  it.each([
    [{ CORS_ALLOWED_ORIGINS: `${shop}, http://localhost:5555/` }, /allowedOrigins\/1.*http:\/\/localhost:5555\//],
    [{ CORS_ALLOWED_CREDENTIALS: 'yes' }, /allowedCredentials.*boolean/],
    [{ PUBLIC_CATALOGUE: '1' }, /publicCatalogue.*boolean/],
  ])('are refused by the chart: %j', async (env, message) => {
    await expect(renderGateway(gatewayValues(env, fixedPorts({})))).rejects.toThrow(message);
  });

  it('are in the help of make run', async () => {
    const { stdout } = await execa(process.execPath, ['tools/local/commands/run.ts', '--help'], { cwd: root });
    expect(stdout).toMatch(/CORS_ALLOWED_ORIGINS +.*by default http:\/\/localhost:3000/);
    expect(stdout).toMatch(/CORS_ALLOWED_CREDENTIALS +.*by default true/);
  });
});
