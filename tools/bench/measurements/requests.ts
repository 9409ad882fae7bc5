import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { freePort } from '../../free-port.ts';
import { localUrl } from '../../local/components/services.ts';
import { startProcess } from '../../local/components/supervised-process.ts';
import { fillCatalogue, loginCookie, placeOrder, productIds } from '../customer.ts';
import { figure } from '../figures.ts';
import { logDir, type Measurement, unlimited } from '../measurement.ts';
import { cpuOfRequests, type Request, send } from '../requests.ts';

export const against = (medians: number[]) => `${medians.map((ms) => ms.toFixed(3)).join(' against ')} CPU ms`;

/** Starts a process that answers like a service, with only node:http and pg. */
export async function startBareServer(databaseUrl: string, port?: number) {
  const PORT = port ?? (await freePort());
  const url = localUrl(PORT);
  const { pid, stop } = await startProcess({
    name: `bare-server-${PORT}`,
    command: process.execPath,
    args: ['tools/bench/bare-server.ts'],
    env: { PORT: String(PORT), DATABASE_URL: databaseUrl },
    logDir,
    log: console.error,
    ready: async () => (await fetch(url)).ok,
  });
  return { url, pid, stop };
}

/**
 * CPU time of a page of the catalogue against a bare server: of the service, and of all processes that a customer's request passes.
 * The same of the service for one product.
 */
export const products: Measurement = {
  name: 'products',
  components: ['auth', 'account', 'product', 'gateway'],
  gateway: unlimited,
  async run(store) {
    await fillCatalogue(store.databaseUrl('product'));
    const path = '/products?size=100';
    const cookie = await loginCookie(store.url('auth'));
    const url = store.gatewayUrl + path;
    const asked = (encoding: string): Request => ({ url, headers: { cookie, 'accept-encoding': encoding } });
    const pidOf = (name: string) => store.component(name).pid;
    const [gateway, auth, product] = [pidOf('gateway'), pidOf('auth'), pidOf('product')];
    const bare = await startBareServer(store.databaseUrl('product'));
    deepStrictEqual(await productIds(store.url('product')), await productIds(bare.url));
    const answered = [{ url: bare.url + path }, bare.pid] as const;
    const service = await cpuOfRequests(5_000, [[{ url: store.url('product') + path }, product], answered]);
    const one = `/products/${(await productIds(bare.url))[0]}`;
    const single = await cpuOfRequests(5_000, [
      [{ url: store.url('product') + one }, product],
      [{ url: bare.url + one }, bare.pid],
    ]);
    // The bare server has no gateway, and does not ask who the customer is.
    const all = await cpuOfRequests(5_000, [[asked('identity'), gateway, auth, product], answered]);
    await bare.stop();
    const compression = await cpuOfRequests(5_000, [
      [asked('gzip'), gateway],
      [asked('identity'), gateway],
    ]);
    return [
      figure('products', service.ratio, against(service.medians)),
      figure('product', single.ratio, against(single.medians)),
      figure('catalogue', all.ratio, against(all.medians)),
      figure('compression', compression.ratio, `${against(compression.medians)} of the gateway`),
    ];
  },
};

/** CPU time of a new order, without the worker, and of reading an order by its id, against a bare server. */
export const orders: Measurement = {
  name: 'orders',
  components: ['account', 'product', 'order'],
  async run(store) {
    const account = randomUUID();
    const headers = { 'id-account': account };
    await fillCatalogue(store.databaseUrl('product'));
    await queryOnce(
      store.databaseUrl('account'),
      `insert into accounts (id, name, email, password_hash, created_at)
       values ('${account}', 'Bench', 'orders@example.com', '', now())`,
    );
    const ids = await productIds(store.url('product'));
    const place = placeOrder(store.url('order'), ids, headers);
    await send(place, { amount: 1, connections: 1 });
    const [order] = await queryOnce<{ id: string }>(store.databaseUrl('order'), 'select id from orders');
    const bare = await startBareServer(store.databaseUrl('order'));
    const placed = await cpuOfRequests(5_000, [
      [place, store.component('order').pid],
      [placeOrder(bare.url, ids, headers), bare.pid],
    ]);
    const path = `/orders/${order?.id}`;
    const read = await cpuOfRequests(5_000, [
      [{ url: store.url('order') + path, headers }, store.component('order').pid],
      [{ url: bare.url + path }, bare.pid],
    ]);
    await bare.stop();
    return [
      figure('orders', placed.ratio, against(placed.medians)),
      figure('order', read.ratio, against(read.medians)),
    ];
  },
};

/** CPU time of a token check at the gateway, against a request without one. Tests of shared cover the time of hostile cookies. */
export const checks: Measurement = {
  name: 'checks',
  components: ['gateway', 'auth', 'account'],
  gateway: { ...unlimited, publicCatalogue: true },
  async run(store) {
    const cookie = await loginCookie(store.url('auth'));
    const [gateway, auth] = [store.component('gateway').pid, store.component('auth').pid];
    const asked = (path: string) => ({ url: store.gatewayUrl + path, headers: { cookie } });
    const replace = (service: string) => startBareServer('', store.ports.of(service));
    const upstreams = await Promise.all(['order', 'product'].map(replace));
    const { medians, ratio } = await cpuOfRequests(20_000, [
      [asked('/orders'), gateway, auth],
      [asked('/products'), gateway],
    ]);
    await Promise.all(upstreams.map(({ stop }) => stop()));
    return [figure('check', ratio, against(medians))];
  },
};
