import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { freePort } from '../../free-port.ts';
import { localUrl } from '../../local/components/services.ts';
import { startProcess } from '../../local/components/supervised-process.ts';
import { fillCatalogue, loginCookie, orderPlacer, productIds } from '../customer.ts';
import { figure } from '../figures.ts';
import { logDir, type Measurement, unlimited } from '../measurement.ts';
import { compareRates, cpuOfRequests } from '../requests.ts';

/** Calls `work` with a bare server, a process of its own like the service that it is compared with. */
async function withBareServer<T>(databaseUrl: string, work: (url: string) => Promise<T>, port?: number): Promise<T> {
  const PORT = port ?? (await freePort());
  const url = localUrl(PORT);
  const bare = await startProcess({
    name: `bare-server-${PORT}`,
    command: process.execPath,
    args: ['tools/bench/bare-server.ts'],
    env: { PORT: String(PORT), DATABASE_URL: databaseUrl },
    logDir,
    log: console.error,
    ready: async () => (await fetch(url)).ok,
  });
  try {
    return await work(url);
  } finally {
    await bare.stop();
  }
}

const cpu = (ms = NaN) => `${ms.toFixed(3)} CPU ms`;

export const products: Measurement = {
  name: 'products',
  components: ['auth', 'account', 'product', 'gateway'],
  gateway: unlimited,
  async run(store) {
    const path = '/products?size=100';
    const database = store.databaseUrl('product');
    await fillCatalogue(database);
    const cookie = await loginCookie(store.url('auth'));
    const rows = await withBareServer(database, async (url) => {
      const atGateway = { url: store.gatewayUrl + path, headers: { cookie } };
      const bare = { url: url + path };
      deepStrictEqual(await productIds(store.url('product')), await productIds(url));
      return [
        await compareRates('products', { url: store.url('product') + path }, bare),
        // The bare server has no gateway, and asks nobody who the customer is.
        await compareRates('catalogue', atGateway, bare),
      ];
    });
    const asking = (encoding: string) => ({
      url: store.gatewayUrl + path,
      headers: { cookie, 'accept-encoding': encoding },
    });
    const { pid } = store.component('gateway');
    const { medians, ratio } = await cpuOfRequests(5_000, [
      [asking('gzip'), pid],
      [asking('identity'), pid],
    ]);
    const measured = `${medians.map(cpu).join(' against ')} of the gateway`;
    return [...rows, figure('compression', ratio, measured)];
  },
};

/** Without the worker: both sides write events, and backlog.ts measures their publishing. */
export const orders: Measurement = {
  name: 'orders',
  components: ['product', 'order'],
  async run(store) {
    await fillCatalogue(store.databaseUrl('product'));
    const items = (await productIds(store.url('product'))).slice(0, 3).map((productId) => ({ productId, quantity: 2 }));
    const placedAt = (url: string) => ({
      url: `${url}/orders`,
      method: 'POST' as const,
      headers: { 'content-type': 'application/json', 'id-account': randomUUID() },
      uniqueHeaders: () => ({ 'idempotency-key': randomUUID() }),
      body: JSON.stringify({ items }),
    });
    return withBareServer(store.databaseUrl('order'), async (url) => [
      await compareRates('orders', placedAt(store.url('order')), placedAt(url)),
    ]);
  },
};

/** CPU time of a service for one row of its own. */
export const reads: Measurement = {
  name: 'reads',
  components: ['account', 'product', 'order'],
  async run(store) {
    const account = randomUUID();
    const headers = { 'id-account': account };
    await fillCatalogue(store.databaseUrl('product'));
    await queryOnce(
      store.databaseUrl('account'),
      `insert into accounts (id, name, email, password_hash, created_at)
       values ('${account}', 'Bench', 'reads@example.com', '', now())`,
    );
    const ids = await productIds(store.url('product'));
    const order = await orderPlacer(store.url('order'), ids, headers)();
    const paths = [
      ['product', `/products/${ids[0]}`],
      ['account', '/accounts'],
      ['order', `/orders/${order.id}`],
    ] as const;
    const { medians } = await cpuOfRequests(
      5_000,
      paths.map(([service, path]) => [{ url: store.url(service) + path, headers }, store.component(service).pid]),
    );
    return paths.map(([service], index) => figure(service, medians[index] ?? NaN, service));
  },
};

/** More than the gateway lets through (contract 2.5). */
const cookieLength = 16 * 1024;
const hostileCookies = { semicolons: ';', blanks: ' ', names: 'a=__store_jwt_token;' };

/** CPU time of a token check: at the gateway against a request without one, and of a hostile cookie against an ordinary one. */
export const checks: Measurement = {
  name: 'checks',
  components: ['gateway', 'auth', 'account'],
  gateway: { ...unlimited, publicCatalogue: true },
  async run(store) {
    const cookie = await loginCookie(store.url('auth'));
    const [gateway, auth] = [store.component('gateway').pid, store.component('auth').pid];
    const asked = (path: string) => ({ url: store.gatewayUrl + path, headers: { cookie } });
    const standIn = (service: string, work: () => ReturnType<typeof cpuOfRequests>) =>
      withBareServer('', work, store.ports.of(service));
    const { medians, ratio } = await standIn('order', () =>
      standIn('product', () =>
        cpuOfRequests(20_000, [
          [asked('/orders'), gateway, auth],
          [asked('/products'), gateway],
        ]),
      ),
    );
    const measured = medians.map(cpu).join(' against ');
    const rows = [figure('check', ratio, measured)];
    for (const [name, text] of Object.entries(hostileCookies)) {
      const check = (given: string) =>
        [{ url: `${store.url('auth')}/check`, headers: { cookie: given } }, auth] as const;
      const hostile = `${text.repeat(cookieLength / text.length)};${cookie}`;
      const { medians, ratio } = await cpuOfRequests(3_000, [check(hostile), check(cookie)]);
      rows.push(figure('hostile', ratio, `${medians.map(cpu).join(' against ')} of auth`, name));
    }
    return rows;
  },
};
