import { isDeepStrictEqual } from 'node:util';
import { startBaseline } from '../baselines/start-baseline.ts';
import { login } from '../customer.ts';
import { fillCatalogue } from '../database.ts';
import type { Log, Measurement } from '../measurement.ts';
import { compareCpu, compareRates, type Request } from '../rates.ts';

const path = '/products?size=100';

export const products: Measurement = {
  name: 'products',
  components: ['auth', 'account', 'product', 'gateway'],
  gateway: { limits: { requests: { perSecond: 1_000_000, burst: 1_000_000 } } },
  async run({ store, log }) {
    const database = store.databaseUrl('product');
    await fillCatalogue(database);
    const baseline = await startBaseline('products.ts', database, log);
    try {
      const sides = [{ url: store.url('product') + path }, { url: baseline.url + path }] as const;
      const [listed, expected] = await Promise.all(sides.map(({ url }) => fetchProducts(url)));
      const fields = Object.keys(expected?.[0] ?? {});
      const comparable = listed?.map((product) => Object.fromEntries(fields.map((field) => [field, product[field]])));
      if (!isDeepStrictEqual(comparable, expected))
        throw new Error('The baseline lists other products than the service.');
      const atGateway = { url: store.gatewayUrl + path, headers: { cookie: await login(store.url('auth')) } };
      const name = `GET ${path}`;
      return [
        { ...(await compareRates(name, ...sides, log)), atLeast: 1 },
        // The bare server has no gateway, and asks nobody who the customer is.
        { ...(await compareRates(`${name} at the gateway, with a cookie`, atGateway, sides[1], log)), atLeast: 1 },
        { ...(await compareCompressed(name, atGateway, store.component('gateway').pid, log)), atMost: 1.6 },
      ];
    } finally {
      await baseline.stop();
    }
  },
};

/** Compares the CPU time of the gateway for a client that takes gzip, and for one that does not. */
async function compareCompressed(name: string, request: Request, pid: () => number | undefined, log: Log) {
  const side = (encoding: string) => ({
    ...request,
    headers: { ...request.headers, 'accept-encoding': encoding },
    pid,
  });
  const { first, second, ratio } = await compareCpu(5_000, side('gzip'), side('identity'), log);
  const measured = `${first.toFixed()} against ${second.toFixed()} CPU ms of the gateway per 1000`;
  return { name: `${name} at the gateway, compressed against as it is`, measured, result: ratio };
}

const fetchProducts = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>[];
