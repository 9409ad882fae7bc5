import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { fillCatalogue, loginCookie, placeOrder, productIds } from '../customer.ts';
import { figure } from '../figures.ts';
import { type Measurement, unlimited } from '../measurement.ts';
import { cpuOfRequests, type Request, send } from '../requests.ts';

const against = (medians: number[]) => `${medians.map((ms) => ms.toFixed(3)).join(' against ')} CPU ms`;

/** CPU time of a page of the catalogue: of the service, of all that a customer's request passes, and what compression takes. */
export const products: Measurement = {
  name: 'products',
  components: ['auth', 'account', 'product', 'gateway'],
  gateway: unlimited,
  async run(store) {
    await fillCatalogue(store.databaseUrl('product'));
    const path = '/products?size=100';
    const cookie = await loginCookie(store.url('auth'));
    const asked = (encoding: string): Request => {
      return { url: store.gatewayUrl + path, headers: { cookie, 'accept-encoding': encoding } };
    };
    const pidOf = (name: string) => store.component(name).pid;
    const [gateway, auth, product] = [pidOf('gateway'), pidOf('auth'), pidOf('product')];
    const { medians, ratio } = await cpuOfRequests(5_000, [
      [asked('gzip'), gateway],
      [asked('identity'), gateway],
      [asked('identity'), gateway, auth, product],
      [{ url: store.url('product') + path }, product],
    ]);
    const [gzip = NaN, identity = NaN, all = NaN, service = NaN] = medians;
    return [
      figure('products', service, 'product'),
      figure('catalogue', all, 'gateway, auth and product'),
      figure('compression', ratio, `${against([gzip, identity])} of the gateway`),
    ];
  },
};

/** CPU time of a service for a new order, without the worker, and for one row of its own. */
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
    await send(place, { amount: 1 });
    const [order] = await queryOnce<{ id: string }>(store.databaseUrl('order'), 'select id from orders');
    const read = (service: 'account' | 'product' | 'order', path: string) =>
      [service, service, { url: store.url(service) + path, headers }] as const;
    const requests = [
      read('product', `/products/${ids[0]}`),
      read('account', '/accounts'),
      read('order', `/orders/${order?.id}`),
      ['orders', 'order', place] as const,
    ];
    const { medians } = await cpuOfRequests(
      5_000,
      requests.map(([, service, request]) => [request, store.component(service).pid]),
    );
    return requests.map(([key, service], index) => figure(key, medians[index] ?? NaN, service));
  },
};

/** More than the gateway lets through (contract 2.5). */
const cookieLength = 16 * 1024;
const hostileCookies = { semicolons: ';', blanks: ' ', names: 'a=__store_jwt_token;' };

/** Listens in place of a service, and answers everything by an empty list. */
async function standIn(port: number) {
  const server = createServer((_, res) => res.setHeader('content-type', 'application/json').end('[]'));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

/** CPU time of a token check: at the gateway against a request without one, and of a hostile cookie against an ordinary one. */
export const checks: Measurement = {
  name: 'checks',
  components: ['gateway', 'auth', 'account'],
  gateway: { ...unlimited, publicCatalogue: true },
  async run(store) {
    const cookie = await loginCookie(store.url('auth'));
    const [gateway, auth] = [store.component('gateway').pid, store.component('auth').pid];
    const asked = (path: string) => ({ url: store.gatewayUrl + path, headers: { cookie } });
    const upstreams = await Promise.all(['order', 'product'].map((service) => standIn(store.ports.of(service))));
    const { medians, ratio } = await cpuOfRequests(20_000, [
      [asked('/orders'), gateway, auth],
      [asked('/products'), gateway],
    ]);
    for (const server of upstreams) server.close().closeAllConnections();
    const rows = [figure('check', ratio, against(medians))];
    for (const [name, text] of Object.entries(hostileCookies)) {
      const check = (given: string) =>
        [{ url: `${store.url('auth')}/check`, headers: { cookie: given } }, auth] as const;
      const hostile = `${text.repeat(cookieLength / text.length)};${cookie}`;
      const { medians, ratio } = await cpuOfRequests(3_000, [check(hostile), check(cookie)]);
      rows.push(figure('hostile', ratio, `${against(medians)} of auth`, name));
    }
    return rows;
  },
};
