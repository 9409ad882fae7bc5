import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { execa } from 'execa';
import { renderGateway, writeGatewayConfig } from '../../tools/local/components/gateway.ts';
import { provideEnvoy } from '../../tools/local/downloads/envoy.ts';
import { useFolder } from '../kit/folder.ts';

const dir = useFolder();
const withOrigins = (...allowedOrigins: string[]) => ({ cors: { allowedOrigins } });
const tracing = (endpoint: string, samplingPercent: number) => ({ global: { tracing: { endpoint, samplingPercent } } });

it.each([
  ['an unknown value', { prot: 8080 }, /additional propert.*prot/i],
  ['an unknown value in a map', { external: { stripPrefx: true } }, /additional propert.*stripPrefx/i],
  ['a typo in an upstream', { upstreams: { auht: { host: 'a', port: 1 } } }, /upstreams: auht is no service/],
  ['a typo in an address', { upstreams: { auth: { hots: 'a', port: 1 } } }, /additional propert.*hots/i],
  ['a body limit of an unknown prefix', { bodyKib: { '/ordres': 8 } }, /bodyKib: "\/ordres" is no prefix/],
  ['a compressed path that leads nowhere', { compressed: ['/productz'] }, /"\/productz" is refused: no route/],
  ['a compressed prefix', { compressed: ['/products/**'] }, /compressed/],
  ['no memory limit', { resources: { limits: { memory: null } } }, /resources.limits.memory is missing/],
  ['a memory limit in an unknown unit', { resources: { limits: { memory: '512m' } } }, /"512m" is refused/],
  ['an unknown call of auth', { auth: { call: 'sovle' } }, /auth.call/],
  ['a port that is a string', { port: '8080' }, /port/],
  ['an external site that is not HTTP', { external: { url: 'ftp://x' } }, /external\/url|external\.url/],
  ['an external site with a path', { external: { url: 'https://x/y' } }, /external\/url|external\.url/],
  ['an origin with a path', withOrigins('http://localhost:3000/'), /allowedOrigins/],
  ['an origin with a wildcard', withOrigins('https://*.shop.example'), /allowedOrigins/],
  ['two origins in one string', withOrigins('http://a,http://b'), /allowedOrigins/],
  ['* with credentials', withOrigins('*'), /Name the origins, or set cors.allowedCredentials to false/],
  ['* among others, with credentials', withOrigins('http://a', '*'), /Name the origins/],
])('the chart refuses %s', async (_, values, message) => {
  await expect(renderGateway(values)).rejects.toThrow(message);
});

it.each([
  ['512Mi', 268435456],
  ['0.5Gi', 268435456],
  ['1G', 500000000],
  [536870912, 268435456],
])('half of a memory limit of %s is for the heap', async (memory, heap) => {
  const config = (await renderGateway({ resources: { limits: { memory } } }))['envoy.yaml'];
  expect(config).toContain(`max_heap_size_bytes: ${heap}\n`);
});

const accepted: [string, Record<string, object>][] = [
  ['defaults', {}],
  ['global values of other components', { global: { logLevel: 'debug' } }],
  ['traces', tracing('http://collector.test:4318', 0.5)],
  ['traces over TLS', tracing('https://collector.test/otlp/', 100)],
  ['several origins', withOrigins('http://a.test', 'https://b.test:8443')],
  ['TLS', { tls: { existingSecret: 'store-tls', hstsSeconds: 31536000 } }],
  ['TLS without plain HTTP', { tls: { existingSecret: 'store-tls', redirectHttp: false } }],
  ['the specified call of auth', { auth: { call: 'solve' } }],
  ['* without credentials', { cors: { allowedOrigins: ['*'], allowedCredentials: false } }],
  ['an external site without TLS', { external: { url: 'http://site.test:81' } }],
  [
    'one that may do anything',
    { external: { forwardIdentity: true, contentSecurityPolicy: '', removeHeaders: false } },
  ],
];

it.each(accepted)('%s: Envoy accepts the configuration without a warning', async (_, values) => {
  const file = join(dir, 'envoy.yaml');
  const trustedCa = join(dir, 'ca.pem');
  await writeFile(trustedCa, rootCertificates[0] ?? '');
  await writeGatewayConfig(file, { ...values, external: { trustedCa, ...values.external } });
  const { all } = await execa(await provideEnvoy(), ['--mode', 'validate', '-c', file], { all: true });
  expect(all).not.toMatch(/\[(warning|error|critical)\]/);
});
