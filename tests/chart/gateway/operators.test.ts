import { parse } from 'yaml';
import { renderObjects } from '../../../tools/chart/render.ts';
import { documentAt } from '../../docs/_documents.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';

// Resources for operators: those of cert-manager, the Gateway API and Envoy Gateway.

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Resource = any;
const ofOthers = /^(cert-manager\.io|gateway\.networking\.k8s\.io|gateway\.envoyproxy\.io)\//;

/** Resources of operators, by kind. */
async function rendered(gateway: object): Promise<Record<string, Resource>> {
  const all = await renderObjects({ gateway });
  return Object.fromEntries(all.filter(({ apiVersion }) => ofOthers.test(apiVersion)).map((one) => [one.kind, one]));
}

const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }];
const httpRoute = { enabled: true, parentRefs };
const tls = { existingSecret: 'store-tls' };

describe('a certificate by cert-manager', () => {
  const dnsNames = ['store.example.com'];
  const issuer = { selfSigned: {} };

  it('is made into the Secret of the gateway, by the issuer of the release', async () => {
    const { Certificate, Issuer } = await rendered({ tls: { ...tls, certificate: { dnsNames }, issuer } });
    expect(Issuer).toMatchObject({ metadata: { name: 'gateway' }, spec: issuer });
    expect(Certificate.spec).toEqual({
      secretName: 'store-tls',
      dnsNames,
      issuerRef: { kind: 'Issuer', name: 'gateway' },
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    });
  });

  it('is whatever else cert-manager knows', async () => {
    const own = {
      issuerRef: { kind: 'ClusterIssuer', name: 'public' },
      privateKey: { algorithm: 'RSA' },
      duration: '240h',
    };
    const { Certificate, Issuer } = await rendered({ tls: { ...tls, certificate: { dnsNames, ...own } } });
    expect(Certificate.spec).toEqual({ secretName: 'store-tls', dnsNames, ...own });
    expect(Issuer).toBeUndefined();
  });

  it.each([
    ['without a Secret', { certificate: { dnsNames }, issuer }, /existingSecret does not name the Secret/],
    ['without an issuer', { ...tls, certificate: { dnsNames } }, /gateway.tls.certificate has no issuer/],
  ])('is refused %s', async (_, values, message) => {
    await expect(rendered({ tls: values })).rejects.toThrow(message);
  });
});

describe('an HTTPRoute', () => {
  const filters = [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['server'] } }];

  it('has annotations, filters, and time-outs except for streams', async () => {
    const { HTTPRoute } = await rendered({
      httpRoute: { ...httpRoute, annotations: { a: 'b' }, filters, timeouts: { request: '30s' } },
    });
    expect(HTTPRoute.metadata.annotations).toEqual({ a: 'b' });
    const backendRefs = [{ name: 'gateway', port: 8080 }];
    expect(HTTPRoute.spec.rules).toEqual([
      {
        matches: [{ path: { type: 'Exact', value: '/orders/events' } }],
        timeouts: { request: '0s' },
        filters,
        backendRefs,
      },
      { matches: [{ path: { type: 'PathPrefix', value: '/' } }], timeouts: { request: '30s' }, filters, backendRefs },
    ]);
  });

  it('reaches the gateway by TLS with a BackendTLSPolicy', async () => {
    const backendTls = { hostname: 'store.example.com', wellKnownCACertificates: 'System' };
    const { HTTPRoute, BackendTLSPolicy } = await rendered({ tls, httpRoute: { ...httpRoute, backendTls } });
    expect(HTTPRoute.spec.rules[0].backendRefs).toEqual([{ name: 'gateway', port: 443 }]);
    expect(BackendTLSPolicy.spec).toEqual({
      targetRefs: [{ group: '', kind: 'Service', name: 'gateway', sectionName: 'https' }],
      validation: backendTls,
    });
    const plain = rendered({ httpRoute: { ...httpRoute, backendTls } });
    await expect(plain).rejects.toThrow(/backendTls is set, but gateway.tls.existingSecret names no Secret/);
  });
});

describe('the policies of Envoy Gateway', () => {
  const policies = {
    securityPolicy: { authorization: { defaultAction: 'Allow' } },
    backendTrafficPolicy: { compression: [{ type: 'Gzip' }] },
    clientTrafficPolicy: { connection: { connectionLimit: { value: 1000 } } },
  };

  it('are handed through, for the route or its Gateway', async () => {
    const all = await rendered({ httpRoute, envoyGateway: policies });
    const group = 'gateway.networking.k8s.io';
    const targetRefs = [{ group, kind: 'HTTPRoute', name: 'gateway' }];
    expect(all.SecurityPolicy.spec).toEqual({ ...policies.securityPolicy, targetRefs });
    expect(all.BackendTrafficPolicy.spec).toEqual({ ...policies.backendTrafficPolicy, targetRefs });
    expect(all.ClientTrafficPolicy).toMatchObject({
      metadata: { name: 'gateway', namespace: 'gateways' },
      spec: {
        ...policies.clientTrafficPolicy,
        targetRefs: [{ group, kind: 'Gateway', name: 'public', sectionName: 'https' }],
      },
    });
  });

  it('are refused without a route', async () => {
    await expect(rendered({ envoyGateway: policies })).rejects.toThrow(/gateway.httpRoute.enabled is false/);
  });
});

describe('the values in docs/tls.md', () => {
  const blocks = [...documentAt('docs/tls.md').text.matchAll(/```yaml\n([\s\S]*?)```/g)];
  const [certificate, policy] = blocks.map(([, text = '']) => parse(text).gateway);

  itWithCrds('fit the definitions of cert-manager', async () => {
    const { Certificate, Issuer } = await rendered(certificate);
    expect([Certificate, Issuer].flatMap(problemsOf)).toEqual([]);
  });

  it('limit requests for all replicas together', async () => {
    const { BackendTrafficPolicy } = await rendered({ ...policy, httpRoute });
    expect(BackendTrafficPolicy.spec.rateLimit.type).toBe('Global');
  });
});

itWithCrds('routes with all that they may have fit the definitions of the Gateway API', async () => {
  const timeouts = { request: '30s', backendRequest: '15s' };
  const filters = [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'a', value: 'b' }] } }];
  const backendTls = { hostname: 'store.example.com', wellKnownCACertificates: 'System' };
  const all = await rendered({ tls, httpRoute: { ...httpRoute, timeouts, filters, backendTls } });
  expect(Object.keys(all).sort()).toEqual(['BackendTLSPolicy', 'HTTPRoute']);
  expect(Object.values(all).flatMap(problemsOf)).toEqual([]);
});
