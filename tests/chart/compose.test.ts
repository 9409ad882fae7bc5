import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { thirdPartyImages } from '../../tools/chart/third-party.ts';
import { root } from '../../tools/paths.ts';
import { composeFiles } from '../../tools/topology/compose.ts';

interface Composed {
  image: string;
  entrypoint?: string[];
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  networks?: { default: { aliases: string[] } };
  ports?: string[];
}

const folder = 'examples/compose';
describe('examples/compose', () => {
  let services: Record<string, Composed>;
  let envoy: string;
  beforeAll(async () => {
    const files = await composeFiles();
    services = parse(files[`${folder}/compose.yaml`] ?? '').services;
    envoy = files[`${folder}/envoy.yaml`] ?? '';
  });

  it('every host that a service or the gateway calls is in the file', () => {
    const hosts = Object.entries(services).flatMap(([name, { networks }]) => [
      name,
      ...(networks?.default.aliases ?? []),
    ]);
    const texts = Object.values(services).flatMap(({ environment = {}, entrypoint = [] }) => [
      // Browsers follow the links in mails, and those of payments that a customer approves.
      ...Object.entries(environment).flatMap(([name, value]) =>
        ['SHOP_URL', 'STORE_URL'].includes(name) ? [] : value,
      ),
      ...entrypoint,
    ]);
    const called = texts.flatMap((text) => [...text.matchAll(/(?:@|http:\/\/)([a-z-]+)[:/]/g)].map(([, host]) => host));
    const upstreams = [...envoy.matchAll(/address: "([a-z-]+)", port_value: 8080/g)].map(([, host]) => host);
    expect(called.length).toBeGreaterThan(20);
    expect(upstreams.length).toBeGreaterThan(5);
    expect([...called, ...upstreams].filter((host) => !hosts.includes(host ?? ''))).toEqual([]);
  });

  it('images are built from Dockerfiles that exist', () => {
    const built = Object.values(services).flatMap(({ build }) => build ?? []);
    expect(built.length).toBeGreaterThan(10);
    for (const { context, dockerfile } of built) expect(existsSync(join(root, folder, context, dockerfile))).toBe(true);
  });

  it('runs PostgreSQL, Kafka and Envoy in the versions of the chart', async () => {
    const images = Object.values(services).flatMap(({ image, build }) => (build ? [] : image));
    expect(images).toHaveLength(3);
    expect(Object.values(await thirdPartyImages(join(root, 'charts/store')))).toEqual(expect.arrayContaining(images));
  });

  it('only gateway and console are reachable, and only from this machine', () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(['gateway', 'console']);
    for (const [, { ports = [] }] of open) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});
