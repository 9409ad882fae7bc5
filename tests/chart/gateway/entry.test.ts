import { parse } from 'yaml';
import { valuesFiles } from '../../../tools/chart/render.ts';
import { renderGateway } from '../../../tools/local/components/gateway.ts';
import { gatewayValues } from '../../../tools/local/components/services.ts';
import { fixedPorts } from '../../../tools/local/ports.ts';
import { documentAt } from '../../docs/_documents.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';
import { read } from '../../kit/read.ts';
import { type Manifest, manifests } from '../_manifests.ts';

// How customers reach the store: the Service, TLS at the gateway, proxies in front of it, and resources for their operators.

/** The resources named gateway, including those for operators, by kind. */
async function rendered(gateway: object, files: string[] = []): Promise<Record<string, Manifest>> {
  const { all } = await manifests({ gateway }, files);
  const own = all.filter(({ metadata }) => metadata.name === 'gateway');
  return Object.fromEntries(own.map((one) => [one.kind, one]));
}
const envoyOf = ({ ConfigMap }: Record<string, Manifest>): string => ConfigMap.data['envoy.yaml'];
const namesOf = (ports: Manifest[]) => ports.map(({ name, port }) => name ?? port).sort();

const host = 'store.example.com';
const tls = { existingSecret: 'store-tls' };
const ingress = { enabled: true, className: 'haproxy', hosts: [host], tlsSecret: 'store-tls' };
const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
const httpRoute = { enabled: true, parentRefs, hostnames: [host] };
const backendTls = { hostname: host, wellKnownCACertificates: 'System' };

describe('the gateway is reached on port 8080', () => {
  const listening = (envoy: string) => parse(envoy).static_resources.listeners.map((one: Manifest) => one.address);

  it('in the local run, unless a variable sets another', async () => {
    const files = await renderGateway(gatewayValues({}, fixedPorts({})));
    expect(listening(files['envoy.yaml'] ?? '')).toContainEqual({
      socket_address: expect.objectContaining({ port_value: 8080 }),
    });
    expect(documentAt('docs/local-run.md').text).toContain('the gateway at 8080');
  });

  it('in a cluster: by Envoy, container and Service, and forwarded by skaffold and make forward', async () => {
    const own = await rendered({});
    expect(listening(envoyOf(own))).toContainEqual({
      socket_address: expect.objectContaining({ port_value: 8080 }),
    });
    expect(own.Deployment.spec.template.spec.containers[0].ports).toContainEqual({ name: 'http', containerPort: 8080 });
    expect(own.Service.spec.ports).toMatchObject([{ name: 'http', port: 8080, targetPort: 'http' }]);
    expect(parse(read('skaffold.yaml')).portForward).toMatchObject([
      { resourceType: 'service', resourceName: 'gateway', port: 8080, localPort: 8080 },
    ]);
    expect(read('Makefile')).toMatch(/^\t.* port-forward service\/gateway 8080$/m);
  });

  it('in a cluster of kind, by its node port', async () => {
    const { Service } = await rendered({}, ['charts/store/presets/dev.yaml']);
    const [{ port, nodePort }] = Service.spec.ports;
    const [{ extraPortMappings }] = parse(read('kind-config.yaml')).nodes;
    expect(port).toBe(8080);
    expect(extraPortMappings).toEqual([{ containerPort: nodePort, hostPort: 8080, listenAddress: '127.0.0.1' }]);
  });
});

describe('TLS at the gateway', () => {
  it.each([
    ['plain HTTP is redirected', true, ['http', 'https']],
    ['plain HTTP is off', false, ['https']],
  ])('Service, container and network policy have the same ports: %s', async (_, redirectHttp, names) => {
    const values = { tls: { ...tls, redirectHttp } };
    const { Service, Deployment, NetworkPolicy } = await rendered(values);
    expect(namesOf(Service.spec.ports)).toEqual(names);
    for (const { name, targetPort } of Service.spec.ports) expect(targetPort).toBe(name);
    const [{ ports, startupProbe }] = Deployment.spec.template.spec.containers;
    expect(namesOf(ports)).toEqual([...names, 'metrics']);
    expect(startupProbe.httpGet).toEqual({ path: '/health-check', port: 'https', scheme: 'HTTPS' });
    expect(namesOf(NetworkPolicy.spec.ingress[0].ports)).toEqual(names);
    const { named, pods } = await manifests({ gateway: values });
    const [test] = pods().get('Pod/store-test').spec.containers;
    expect(test.env).toContainEqual({ name: 'GATEWAY', value: 'https://gateway:443' });
    expect(named('NetworkPolicy', 'store-jobs').spec.egress[0].ports).toEqual([{ port: 8443 }]);
  });

  it("probe, helm test and forwarded ports use no PROXY protocol, even if customers' connections do", async () => {
    const { named, pods } = await manifests({ gateway: { tls, proxyProtocol: true } });
    const [{ ports, startupProbe }] = named('Deployment', 'gateway').spec.template.spec.containers;
    expect(startupProbe.httpGet).toEqual({ path: '/health-check', port: 'inside', scheme: 'HTTPS' });
    expect(ports).toContainEqual({ name: 'inside', containerPort: 8081 });
    expect(namesOf(named('Service', 'gateway').spec.ports)).toEqual(['http', 'https']);
    expect(named('Service', 'gateway-inside').spec).toMatchObject({
      ports: [{ name: 'https', port: 443, targetPort: 'inside' }],
    });
    expect(named('Service', 'gateway-inside').spec).not.toHaveProperty('type');
    const [test] = pods().get('Pod/store-test').spec.containers;
    expect(test.env).toContainEqual({ name: 'GATEWAY', value: 'https://gateway-inside:443' });
    expect(named('NetworkPolicy', 'store-jobs').spec.egress[0].ports).toEqual([{ port: 8081 }]);
    const { ingress } = named('NetworkPolicy', 'gateway').spec;
    const inside = ingress.filter((rule: Manifest) => namesOf(rule.ports).includes('inside'));
    expect(inside).toHaveLength(1);
    expect(inside[0].from[0].podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/name': 'store-test' });
  });

  it('mounts configuration and certificate as one volume, and Envoy watches for its replacement', async () => {
    const { Deployment, ConfigMap } = await rendered({ tls });
    const { volumes, containers } = Deployment.spec.template.spec;
    const items = ['tls.crt', 'tls.key'].map((key) => ({ key, path: `tls/${key}` }));
    const sources = [{ configMap: { name: 'gateway' } }, { secret: { name: 'store-tls', items } }];
    expect(volumes).toContainEqual({ name: 'config', projected: { sources } });
    expect(containers[0].volumeMounts).toContainEqual({ name: 'config', mountPath: '/etc/envoy', readOnly: true });
    expect(ConfigMap.data['certificate.yaml']).toContain('watched_directory: {path: /etc/envoy}');
  });
});

describe('a certificate by cert-manager', () => {
  const issuer = { selfSigned: {} };
  const privateKey = { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' };
  const own = {
    issuerRef: { kind: 'ClusterIssuer', name: 'public' },
    privateKey: { algorithm: 'RSA' },
    duration: '240h',
  };

  it.each([
    ['the issuer of the release', {}, issuer, { issuerRef: { kind: 'Issuer', name: 'gateway' }, privateKey }],
    ['any other issuer', own, undefined, own],
  ])("is issued into the gateway's Secret by %s", async (_, more, ofRelease, expected) => {
    const certificate = { dnsNames: [host], ...more };
    const { Certificate, Issuer } = await rendered({ tls: { ...tls, certificate, issuer: ofRelease } });
    expect(Issuer?.spec).toEqual(ofRelease);
    expect(Certificate.spec).toEqual({ secretName: 'store-tls', dnsNames: [host], ...expected });
  });
});

describe('in front of the gateway', () => {
  it("only a load balancer's Service has the settings of a load balancer", async () => {
    const settings = { loadBalancerClass: 'example.com/lb', loadBalancerSourceRanges: ['203.0.113.0/24'] };
    const service = { ...settings, annotations: { a: 'b' } };
    const balanced = (await rendered({ service: { ...service, type: 'LoadBalancer' } })).Service;
    expect(balanced.spec).toMatchObject({ ...settings, externalTrafficPolicy: 'Local' });
    expect(balanced.metadata.annotations).toEqual({ a: 'b' });
    const { spec } = (await rendered({ service })).Service;
    for (const name of [...Object.keys(settings), 'externalTrafficPolicy']) expect(spec).not.toHaveProperty(name);
  });

  it('an Ingress routes all paths of its hosts to the gateway', async () => {
    const { metadata, spec } = (await rendered({ ingress: { ...ingress, annotations: { a: 'b' } } })).Ingress;
    expect(metadata.annotations).toEqual({ a: 'b' });
    const backend = { service: { name: 'gateway', port: { name: 'http' } } };
    expect(spec).toEqual({
      ingressClassName: 'haproxy',
      tls: [{ hosts: [host], secretName: 'store-tls' }],
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    });
  });

  it('an HTTPRoute routes all paths to the port of the Service, with time-outs except for streams', async () => {
    const filters = [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['server'] } }];
    const route = { ...httpRoute, annotations: { a: 'b' }, filters, timeouts: { request: '30s' } };
    const { metadata, spec } = (await rendered({ httpRoute: route, service: { port: 80 } })).HTTPRoute;
    expect(metadata.annotations).toEqual({ a: 'b' });
    const [orders, products, others] = spec.rules;
    expect(spec).toEqual({ parentRefs, hostnames: [host], rules: [orders, products, others] });
    const both = { filters, backendRefs: [{ name: 'gateway', port: 80 }] };
    const streams = [
      [orders, '/orders/events'],
      [products, '/products/export'],
    ];
    for (const [rule, value] of streams)
      expect(rule).toEqual({ ...both, matches: [{ path: { type: 'Exact', value } }], timeouts: { request: '0s' } });
    const all = { path: { type: 'PathPrefix', value: '/' } };
    expect(others).toEqual({ ...both, matches: [all], timeouts: { request: '30s' } });
  });

  it('an HTTPRoute reaches the gateway over TLS with a BackendTLSPolicy', async () => {
    const { HTTPRoute, BackendTLSPolicy } = await rendered({ tls, httpRoute: { ...httpRoute, backendTls } });
    expect(HTTPRoute.spec.rules[0].backendRefs).toEqual([{ name: 'gateway', port: 443 }]);
    const targetRefs = [{ group: '', kind: 'Service', name: 'gateway', sectionName: 'https' }];
    expect(BackendTLSPolicy.spec).toEqual({ targetRefs, validation: backendTls });
  });

  it("the values of Envoy Gateway's policies are passed through, for the route or its Gateway", async () => {
    const securityPolicy = { authorization: { defaultAction: 'Allow' } };
    const backendTrafficPolicy = { compression: [{ type: 'Gzip' }] };
    const clientTrafficPolicy = { connection: { connectionLimit: { value: 1000 } } };
    const envoyGateway = { securityPolicy, backendTrafficPolicy, clientTrafficPolicy };
    const { SecurityPolicy, BackendTrafficPolicy, ClientTrafficPolicy } = await rendered({ httpRoute, envoyGateway });
    const group = 'gateway.networking.k8s.io';
    const targetRefs = [{ group, kind: 'HTTPRoute', name: 'gateway' }];
    expect(SecurityPolicy.spec).toEqual({ ...securityPolicy, targetRefs });
    expect(BackendTrafficPolicy.spec).toEqual({ ...backendTrafficPolicy, targetRefs });
    const gateway = { group, kind: 'Gateway', name: 'public', sectionName: 'https' };
    expect(ClientTrafficPolicy.metadata.namespace).toBe('gateways');
    expect(ClientTrafficPolicy.spec).toEqual({ ...clientTrafficPolicy, targetRefs: [gateway] });
  });

  it.each([
    ['alone', {}, 0],
    ['behind an Ingress', { ingress }, 1],
    ['behind an HTTPRoute', { httpRoute }, 1],
    ['behind an Ingress, but also open to others', { ingress, service: { type: 'NodePort' } }, 0],
    ['behind two proxies', { ingress, trustedHops: 2 }, 2],
    ['behind a proxy that adds no address', { ingress, trustedHops: 0 }, 0],
  ])('the gateway trusts a proxy if no client can bypass it: %s', async (_, gateway, hops) => {
    expect(envoyOf(await rendered(gateway))).toContain(`xff_num_trusted_hops: ${hops}\n`);
  });
});

describe("the operators' definitions", () => {
  const [certificate, policy] = [...documentAt('docs/tls.md').text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, text = '']) => parse(text).gateway,
  );
  const timeouts = { request: '30s', backendRequest: '15s' };
  const filters = [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'a', value: 'b' }] } }];
  const ofListeners = { enabled: true, parentRefs: [{ name: 'public', port: 443 }] };
  const complete = { ...httpRoute, timeouts, filters, backendTls };

  itWithCrds.each([
    ['the certificate of docs/tls.md', certificate, ['Certificate', 'Issuer']],
    ['a route for its host', { httpRoute }, ['HTTPRoute']],
    ['a route for the hosts of its listeners', { httpRoute: ofListeners }, ['HTTPRoute']],
    ['a route with all settings', { tls, httpRoute: complete }, ['HTTPRoute', 'BackendTLSPolicy']],
  ])('accept %s', async (_, gateway, kinds) => {
    const resources = await rendered(gateway);
    for (const kind of kinds) expect([kind, problemsOf(resources[kind])]).toEqual([kind, []]);
  });

  itWithCrds('refuse a field that the Gateway API does not have', async () => {
    const { HTTPRoute } = await rendered({ httpRoute });
    HTTPRoute.spec.rules[0].backendRef = HTTPRoute.spec.rules[0].backendRefs;
    expect(problemsOf(HTTPRoute)).toHaveLength(1);
  });

  it('the policy of docs/tls.md limits requests for all replicas together', async () => {
    const { BackendTrafficPolicy } = await rendered({ ...policy, httpRoute });
    expect(BackendTrafficPolicy.spec.rateLimit.type).toBe('Global');
  });
});

it('the preset for development has the gateway on port 30080 of every node, and allows the shop on localhost', async () => {
  const all = await rendered({}, valuesFiles.dev);
  const ports = [expect.objectContaining({ port: 8080, nodePort: 30080 })];
  expect(all.Service.spec).toMatchObject({ type: 'NodePort', externalTrafficPolicy: 'Local', ports });
  expect(envoyOf(all)).toContain('exact: "http://localhost:3000"');
});

it('a rate limit service has a configuration of every limit that the gateway asks for, and the gateway may reach it', async () => {
  const limits = { orders: { perMinute: 60 }, registrations: { perHour: 100 } };
  const { named } = await manifests({ gateway: { rateLimitService: 'ratelimit.gateways:8081', limits } });
  const { domain, descriptors } = parse(named('ConfigMap', 'gateway-rates').data['store.yaml']);
  expect(domain).toBe('store');
  const told = descriptors.map(({ value, rate_limit, descriptors: [inner] = [{ rate_limit }] }: Manifest) => [
    value ?? 'requests',
    inner.rate_limit,
  ]);
  expect(Object.fromEntries(told)).toEqual({
    requests: { unit: 'second', requests_per_unit: 500 },
    credentials: { unit: 'second', requests_per_unit: 20 },
    registrations: { unit: 'hour', requests_per_unit: 100 },
    orders: { unit: 'minute', requests_per_unit: 60 },
  });
  const envoy: string = named('ConfigMap', 'gateway').data['envoy.yaml'];
  const asked = new Set([...envoy.matchAll(/descriptor_value: (\w+)/g)].map(([, value]) => value));
  expect([...asked, 'requests'].sort()).toEqual(told.map(([name]: [string]) => name).sort());
  expect(JSON.stringify(named('NetworkPolicy', 'gateway').spec.egress)).toContain('{"port":8081}');
});
