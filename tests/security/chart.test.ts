import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { execa } from 'execa';
import { renderGateway, writeGatewayConfig } from '../../tools/local/components/gateway.ts';
import { provideEnvoy } from '../../tools/local/downloads/envoy.mjs';
import { useFolder } from '../kit/folder.ts';

const dir = useFolder();
const withOrigins = (...allowedOrigins: string[]) => ({ cors: { allowedOrigins } });

it.each([
  ['512Mi', 268435456],
  ['0.5Gi', 268435456],
  ['1G', 500000000],
  [536870912, 268435456],
])('the heap gets half of a memory limit of %s', async (memory, heap) => {
  const config = (await renderGateway({ resources: { limits: { memory } } }))['envoy.yaml'];
  expect(config).toContain(`max_heap_size_bytes: ${heap}\n`);
});

const tracing = (endpoint: string, samplingPercent: number) => ({ tracing: { endpoint, samplingPercent } });
const accepted: [string, Record<string, object>][] = [
  ['the defaults', {}],
  [
    'TLS, traces over TLS, several origins, the specified call of auth and a site without TLS',
    {
      global: tracing('https://collector.test/otlp/', 100),
      tls: { existingSecret: 'store-tls', hstsSeconds: 31536000 },
      auth: { call: 'solve' },
      external: { url: 'http://site.test:81' },
      ...withOrigins('http://a.test', 'https://b.test:8443'),
    },
  ],
  [
    'TLS without plain HTTP, some traces, * without credentials and a site without restrictions',
    {
      global: { logLevel: 'debug', ...tracing('http://collector.test:4318', 0.5) },
      tls: { existingSecret: 'store-tls', redirectHttp: false },
      external: { url: 'https://site.test', forwardIdentity: true, contentSecurityPolicy: '', removeHeaders: false },
      cors: { allowedOrigins: ['*'], allowedCredentials: false },
    },
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
