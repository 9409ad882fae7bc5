import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../free-port.ts';
import { renderGateway } from '../../local/components/gateway.ts';
import { localUrl } from '../../local/components/services.ts';
import { startProcess } from '../../local/components/supervised-process.ts';
import { provideEnvoy } from '../../local/downloads/envoy.mjs';
import { figure } from '../figures.ts';
import { logDir, type Measurement, unlimited } from '../measurement.ts';
import { cpuOfRequests } from '../requests.ts';
import { against, startBareServer } from './requests.ts';

/** An Envoy that checks tokens as the gateway does, forwards to one address, and does nothing else. */
async function startBareEnvoy(ports: { auth: number; upstream: number }, dir: string) {
  const [port, adminPort] = await Promise.all([freePort(), freePort()]);
  const { 'envoy.yaml': rendered } = await renderGateway({});
  const [listener] = parse(rendered, { maxAliasCount: -1 }).static_resources.listeners;
  const { '@type': type, http_filters: filters } = listener.filter_chains[0].filters[0].typed_config;
  const kept = filters.filter(({ name }: { name: string }) => name === 'check' || name === 'router');
  const socket = (port_value: number) => ({ socket_address: { address: '127.0.0.1', port_value } });
  const cluster = (name: string, at: number) => ({
    name,
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(at) } }] }] },
  });
  const route = { match: { prefix: '/' }, route: { cluster: 'upstream' } };
  const manager = {
    '@type': type,
    stat_prefix: 'bare',
    http_filters: kept,
    route_config: { virtual_hosts: [{ name: 'bare', domains: ['*'], routes: [route] }] },
  };
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager };
  const config = {
    admin: { address: socket(adminPort) },
    static_resources: {
      listeners: [{ name: 'bare', address: socket(port), filter_chains: [{ filters: [filter] }] }],
      clusters: [cluster('auth', ports.auth), cluster('upstream', ports.upstream)],
    },
  };
  const file = join(dir, 'bare-envoy.json');
  await writeFile(file, JSON.stringify(config));
  const { pid, stop } = await startProcess({
    name: 'bare-envoy',
    command: await provideEnvoy(),
    args: ['-c', file, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warning'],
    logDir: dir,
    log: console.error,
    ready: async () => (await fetch(`${localUrl(adminPort)}/ready`)).ok,
  });
  return { url: localUrl(port), pid, stop };
}

/** CPU time of the gateway for a request with a token check, against a bare Envoy before the same servers. */
export const gateway: Measurement = {
  name: 'gateway',
  components: ['gateway'],
  gateway: unlimited,
  async run(store) {
    const [auth, upstream] = [store.ports.of('auth'), store.ports.of('order')];
    const servers = await Promise.all([auth, upstream].map((port) => startBareServer('', port)));
    const bare = await startBareEnvoy({ auth, upstream }, logDir);
    const headers = { cookie: `__store_jwt_token=${'a'.repeat(200)}` };
    const { medians, ratio } = await cpuOfRequests(5_000, [
      [{ url: `${store.gatewayUrl}/orders`, headers }, store.component('gateway').pid],
      [{ url: `${bare.url}/orders`, headers }, bare.pid],
    ]);
    await Promise.all([bare, ...servers].map(({ stop }) => stop()));
    return [figure('gateway', ratio, against(medians))];
  },
};
