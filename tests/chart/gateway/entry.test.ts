import { named, renderChart, renderObjects, valuesFiles } from '../../../tools/chart/render.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';
import { renderEdited } from '../_edited-chart.ts';
import { answering, notes } from '../release/_notes.ts';

// The entry for customers: the Service, TLS at the gateway, and what may stand in front.

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Resource = any;
const rendered = async (gateway: object, files: string[] = []): Promise<Resource[]> =>
  await renderObjects({ gateway }, files);
const ofGateway = (all: Resource[], wanted: string) =>
  all.find(({ kind, metadata }) => kind === wanted && metadata.name === 'gateway');
const envoyOf = (all: Resource[]): string => ofGateway(all, 'ConfigMap').data['envoy.yaml'];

const tls = { existingSecret: 'store-tls' };
const ingress = { enabled: true, className: 'haproxy', hosts: ['store.example.com'], tlsSecret: 'store-tls' };
const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
const httpRoute = { enabled: true, parentRefs, hostnames: ['store.example.com'] };

describe('TLS at the gateway', () => {
  it.each([
    ['plain HTTP is redirected', true, ['https', 'http']],
    ['plain HTTP is off', false, ['https']],
  ])('Service, container and network policy have the same ports: %s', async (_, redirectHttp, names) => {
    const all = await rendered({ tls: { ...tls, redirectHttp } });
    const { ports } = ofGateway(all, 'Service').spec;
    expect(ports.map(({ name, targetPort }: Resource) => [name, targetPort])).toEqual(
      names.map((name) => [name, name]),
    );
    const [{ ports: own, startupProbe }] = ofGateway(all, 'Deployment').spec.template.spec.containers;
    expect(own.map(({ name }: Resource) => name).sort()).toEqual([...names, 'metrics'].sort());
    expect(startupProbe.httpGet).toEqual({ path: '/health-check', port: 'https', scheme: 'HTTPS' });
    const [{ ports: allowed }] = ofGateway(all, 'NetworkPolicy').spec.ingress;
    expect(allowed.map(({ port }: Resource) => port).sort()).toEqual([...names].sort());
    const test = named(all, 'Pod', 'store-test');
    expect(test.spec.containers[0].env).toContainEqual({ name: 'GATEWAY', value: 'https://gateway:443' });
    const jobs = named(all, 'NetworkPolicy', 'store-jobs');
    expect(jobs.spec.egress[0].ports).toEqual([{ port: 8443 }]);
  });

  it('mounts configuration and certificate as one volume, whose replacement Envoy watches', async () => {
    const all = await rendered({ tls });
    const { volumes, containers } = ofGateway(all, 'Deployment').spec.template.spec;
    const items = [
      { key: 'tls.crt', path: 'tls/tls.crt' },
      { key: 'tls.key', path: 'tls/tls.key' },
    ];
    const sources = [{ configMap: { name: 'gateway' } }, { secret: { name: 'store-tls', items } }];
    expect(volumes).toEqual([{ name: 'config', projected: { sources } }]);
    expect(containers[0].volumeMounts).toEqual([{ name: 'config', mountPath: '/etc/envoy', readOnly: true }]);
    const certificate = ofGateway(all, 'ConfigMap').data['certificate.yaml'];
    expect(certificate).toContain('watched_directory: {path: /etc/envoy}');
  });

  it('is refused with a Secret that has no key', async () => {
    const noKey = (text: string) =>
      text.replaceAll(
        /\(lookup "v1" "Secret"[^)]*\)|lookup "v1" "Secret" \S+ \S+/g,
        '(dict "data" (dict "tls.crt" "eA=="))',
      );
    await expect(renderEdited({ 'templates/_helpers.tpl': noKey }, { gateway: { tls } })).rejects.toThrow(
      'gateway.tls.existingSecret: the Secret store-tls has no tls.key, or an empty one.',
    );
  });
});

describe('in front of the gateway', () => {
  it('a load balancer has its settings, which no other Service has', async () => {
    const settings = { loadBalancerClass: 'example.com/lb', loadBalancerSourceRanges: ['203.0.113.0/24'] };
    const service = { ...settings, annotations: { a: 'b' } };
    const balanced = ofGateway(await rendered({ service: { ...service, type: 'LoadBalancer' } }), 'Service');
    expect(balanced.spec).toMatchObject({ ...settings, externalTrafficPolicy: 'Local' });
    expect(balanced.metadata.annotations).toEqual({ a: 'b' });
    const { spec } = ofGateway(await rendered({ service }), 'Service');
    for (const name of [...Object.keys(settings), 'externalTrafficPolicy']) expect(spec).not.toHaveProperty(name);
  });

  it('an Ingress leads all paths of its hosts to the gateway', async () => {
    const all = await rendered({ ingress: { ...ingress, annotations: { a: 'b' } } });
    const { metadata, spec } = ofGateway(all, 'Ingress');
    expect(metadata.annotations).toEqual({ a: 'b' });
    const backend = { service: { name: 'gateway', port: { name: 'http' } } };
    expect(spec).toEqual({
      ingressClassName: 'haproxy',
      tls: [{ hosts: ['store.example.com'], secretName: 'store-tls' }],
      rules: [{ host: 'store.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    });
  });

  it('an HTTPRoute leads all paths to the port of the Service', async () => {
    const { spec } = ofGateway(await rendered({ httpRoute, service: { port: 80 } }), 'HTTPRoute');
    expect(spec).toMatchObject({ parentRefs, hostnames: ['store.example.com'] });
    expect(spec.rules[0].backendRefs).toEqual([{ name: 'gateway', port: 80 }]);
  });

  itWithCrds.each([
    ['for its host', httpRoute],
    ['for the hosts of its listeners', { enabled: true, parentRefs: [{ name: 'public', port: 443 }] }],
  ])('an HTTPRoute fits the definition of the Gateway API: %s', async (_, route) => {
    expect(problemsOf(ofGateway(await rendered({ httpRoute: route }), 'HTTPRoute'))).toEqual([]);
  });

  itWithCrds('a field that the Gateway API does not have would be noticed', async () => {
    const route = ofGateway(await rendered({ httpRoute }), 'HTTPRoute');
    route.spec.rules[0].backendRef = route.spec.rules[0].backendRefs;
    expect(problemsOf(route)).toHaveLength(1);
  });

  it.each([
    ['alone', {}, 0],
    ['behind an Ingress', { ingress }, 1],
    ['behind an HTTPRoute', { httpRoute }, 1],
    ['behind an Ingress, but open to others', { ingress, service: { type: 'NodePort' } }, 0],
    ['behind two proxies', { ingress, trustedHops: 2 }, 2],
    ['behind one that says nothing', { ingress, trustedHops: 0 }, 0],
  ])('the gateway trusts one proxy where nobody gets past it: %s', async (_, gateway, hops) => {
    expect(envoyOf(await rendered(gateway))).toContain(`xff_num_trusted_hops: ${hops}\n`);
  });
});

describe('the chart refuses', () => {
  it.each([
    ['TLS in two places, with an Ingress', { tls, ingress }, /what is in front sends plain HTTP/],
    ['TLS in two places, with an HTTPRoute', { tls, httpRoute }, /what is in front sends plain HTTP/],
    ['an Ingress without hosts', { ingress: { enabled: true } }, /gateway.ingress.hosts is empty/],
    ['an HTTPRoute of no Gateway', { httpRoute: { enabled: true } }, /gateway.httpRoute.parentRefs is empty/],
    ['a host with a port', { ingress: { enabled: true, hosts: ['store.example.com:443'] } }, /hosts\/0/],
    ['a typo in TLS', { tls: { existingSecrt: 'x' } }, /existingSecrt/],
    ['source ranges without a mask', { service: { loadBalancerSourceRanges: ['203.0.113.1'] } }, /SourceRanges\/0/],
  ])('%s', async (_, gateway, message) => {
    await expect(renderChart([], { gateway })).rejects.toThrow(message);
  });

  it('an HTTPRoute where the cluster does not know the Gateway API', async () => {
    const edits = { 'charts/gateway/templates/httproute.yaml': answering(['ServiceAccount']) };
    await expect(renderEdited(edits, { gateway: { httpRoute } })).rejects.toThrow(/install the Gateway API/);
  });
});

describe('the notes', () => {
  it.each([
    ['an Ingress with TLS', { ingress }, 'https://store.example.com'],
    ['an Ingress without', { ingress: { ...ingress, tlsSecret: '' } }, 'http://store.example.com'],
    ['an HTTPRoute', { httpRoute }, 'store.example.com, by the Gateway public: kubectl -n store describe httproute'],
    [
      'a node port with TLS',
      { tls, service: { type: 'NodePort', httpsNodePort: 30443 } },
      'https, port 30443 of every node',
    ],
    ['TLS', { tls }, 'port-forward service/gateway 8443:443    # https://localhost:8443'],
    ['none of these', {}, 'port-forward service/gateway 8080:8080    # http://localhost:8080'],
  ])('say where the store is: %s', async (_, gateway, text) => {
    expect(await notes({ gateway })).toContain(text);
  });

  it('warn of a proxy that hides the addresses of customers', async () => {
    const warning = 'ALL CUSTOMERS HAVE ONE ADDRESS';
    expect(await notes({ gateway: { ingress, trustedHops: 0 } })).toContain(warning);
    expect(await notes({ gateway: { ingress } })).not.toContain(warning);
  });

  it('say that cookies are not Secure where there is no HTTPS', async () => {
    expect(await notes({})).toContain('is dev, and without HTTPS the token cookie is not Secure.');
    for (const gateway of [{ tls }, { ingress }, { httpRoute }]) {
      expect(await notes({ gateway })).toContain('global.profile is dev.');
    }
  });
});

it('production ends TLS at the gateway, behind a load balancer that passes it on', async () => {
  const all = await rendered({}, valuesFiles.prod);
  const { type, ports } = ofGateway(all, 'Service').spec;
  expect([type, ...ports.map(({ port }: Resource) => port)]).toEqual(['LoadBalancer', 443, 80]);
  expect(envoyOf(all)).toContain('value: max-age=3600');
});

it('development has the gateway on port 30080 of every node, for the shop on localhost', async () => {
  const all = await rendered({}, valuesFiles.dev);
  expect(ofGateway(all, 'Service').spec).toMatchObject({
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    ports: [expect.objectContaining({ port: 8080, nodePort: 30080 })],
  });
  expect(envoyOf(all)).toContain('exact: "http://localhost:3000"');
});
