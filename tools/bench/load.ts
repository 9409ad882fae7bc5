import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of Date.now() with the digits behind the point: to be compared with what other processes wrote down. */
export const nowMs = () => performance.timeOrigin + performance.now();

/** Does something so many times per second, and does not wait for the one before: what is slow gets no less to do. */
export async function atRate<T>(perSecond: number, seconds: number, work: () => Promise<T>): Promise<T[]> {
  const began = performance.now();
  const works: Promise<T>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = began + (n * 1000) / perSecond;
    await sleep(Math.max(due - performance.now(), 0));
    const done = work();
    done.catch(() => undefined); // said below, where all are waited for
    works.push(done);
  }
  return Promise.all(works);
}

/** One after another, so that nothing that is just started is asked too much: for the compiler of V8 and the pools. */
export async function warmUp(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < 300; n += 1) await work();
}

/** Places orders of three out of a hundred products, and says of each when it was asked for. */
export async function orderPlacer(url: string, productUrl: string, headers: Record<string, string>) {
  const products = (await (await fetch(`${productUrl}/products?size=100`)).json()) as { id: string }[];
  return async (): Promise<{ id: string; at: number }> => {
    const first = Math.floor(Math.random() * (products.length - 2));
    const items = products.slice(first, first + 3).map(({ id }) => ({ productId: id, quantity: 1 }));
    const at = nowMs();
    const answer = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
      body: JSON.stringify({ items }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`An order is answered with ${answer.status} instead of 201: ${text}`);
    return { id: JSON.parse(text).id, at };
  };
}
