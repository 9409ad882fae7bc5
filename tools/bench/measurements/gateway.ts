import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { parse, stringify } from 'yaml';
import { freePort } from '../../free-port.ts';
import { type GatewayValues, renderGateway, startGateway } from '../../local/components/gateway.ts';
import { type SupervisedProcess, startProcess } from '../../local/components/supervised-process.ts';
import { provideEnvoy } from '../../local/downloads/envoy.ts';
import { alternate } from '../alternate.ts';
import { startBaseline } from '../baselines/start-baseline.ts';
import { login } from '../customer.ts';
import { benchDir, type Log, logDir, type Measurement } from '../measurement.ts';
import { cpuPerThousand } from '../rates.ts';

const amount = 20_000;

/** CPU time of gateway and auth for a request with a cookie, compared with an Envoy that only forwards. */
export const gateway: Measurement = {
  name: 'gateway',
  components: ['auth', 'account'],
  async run({ store, log }) {
    const cookie = await login(store.url('auth'));
    const upstream = await startBaseline('upstream.ts', '', log);
    const components: SupervisedProcess[] = [upstream];
    try {
      const [auth, service] = [store.ports.of('auth'), Number(new URL(upstream.url).port)];
      const values = await gatewayValues(auth, service);
      const checked = await startGateway({ values, dir: join(benchDir, 'gateway'), logDir, log });
      components.push(checked);
      const plain = await startForwarder(await gatewayValues(auth, service), log);
      components.push(plain.component);

      /** CPU ms per 1,000 requests of a proxy, and of auth behind it. */
      const costs = (port: number, pid: () => number | undefined) =>
        cpuPerThousand({ url: `http://127.0.0.1:${port}/accounts`, headers: { cookie } }, amount, [
          pid(),
          store.component('auth').pid(),
        ]);
      const ofAuth: number[] = [];
      const { first, second, ratio } = await alternate(
        { rounds: 4, warmUp: 1 },
        async () => {
          const [proxy = NaN, auth = NaN] = await costs(values.port, checked.pid);
          ofAuth.push(auth);
          log(`gateway: ${proxy.toFixed()} and auth ${auth.toFixed()} CPU ms per 1000 requests`);
          return proxy + auth;
        },
        async () => {
          const [envoy = NaN] = await costs(plain.port, plain.component.pid);
          log(`forwarding only: ${envoy.toFixed()} CPU ms per 1000 requests`);
          return envoy;
        },
      );
      const checks = median(ofAuth.slice(1)).toFixed();
      const measured = `${first.toFixed()} (auth ${checks}) against ${second.toFixed()} CPU ms per 1000`;
      return [{ name: 'GET /accounts, gateway and auth against forwarding', measured, result: ratio, atMost: 3.8 }];
    } finally {
      await Promise.all(components.map((component) => component.stop()));
    }
  },
};

async function gatewayValues(auth: number, service: number): Promise<GatewayValues> {
  const at = (port: number) => ({ host: '127.0.0.1', port });
  const many = { perSecond: 1_000_000, burst: 1_000_000 };
  return {
    port: await freePort(),
    metricsPort: await freePort(),
    upstreams: { auth: at(auth), account: at(service), product: at(service), order: at(service), status: at(service) },
    limits: { requests: many, credentials: many },
  };
}

/** The gateway's own configuration with every filter removed but the router. */
async function startForwarder(values: GatewayValues, log: Log) {
  const dir = join(benchDir, 'forwarder');
  const own = { address: '127.0.0.1', reusePort: false, adminSocket: join(dir, 'admin.sock') };
  const files = await renderGateway({ ...values, ...own });
  const config = parse(files['envoy.yaml'], { merge: true });
  const [store] = config.static_resources.listeners;
  const [{ typed_config: manager }] = store.filter_chains[0].filters;
  manager.http_filters = manager.http_filters.filter(({ name }: { name: string }) => name === 'router');
  for (const host of manager.route_config.virtual_hosts) {
    delete host.typed_per_filter_config;
    for (const route of host.routes) delete route.typed_per_filter_config;
  }
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'envoy.yaml'), stringify(config));
  const envoy = await provideEnvoy();
  const component = await startProcess({
    name: 'forwarder',
    command: envoy,
    args: ['-c', join(dir, 'envoy.yaml'), '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warning'],
    logDir,
    log,
    ready: async () => (await fetch(`http://127.0.0.1:${values.metricsPort}/ready`)).ok,
  });
  return { component, port: values.port };
}
