import { setTimeout as wait } from 'node:timers/promises';
import { newCustomer, newProducts } from '../kit/customer.ts';
import { createSend } from '../kit/http.ts';

const pauseMs = 250;

/** A few requests per second through the gateway until they are stopped: the catalogue, statuses, and an order. Failures are part of it. */
export async function startTraffic(gatewayUrl: string) {
  const customer = await newCustomer(createSend(gatewayUrl, 20_000));
  const products = await newProducts(customer, 5);
  const stopping = new AbortController();
  let turn = 0;
  const next = () => {
    turn += 1;
    const items = [{ productId: products[turn % products.length], quantity: 1 }];
    if (turn % 3 === 0) return customer.send('POST', '/orders', { items });
    return customer.send('GET', turn % 3 === 1 ? '/products' : '/api/v1/status');
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      next().catch(() => undefined); // does not wait: a hanging service must not keep requests from the others
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}
