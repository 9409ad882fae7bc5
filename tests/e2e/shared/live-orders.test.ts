import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createAuthClient } from '../../../services/order/src/auth-client.ts';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Through the gateway. services/order/test/live covers replicas that end and an unavailable auth.

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);

const open = (cookie: string) => fetch(`${store.gatewayUrl}/orders/events`, { headers: { cookie } });

/** Collects the stream of a customer. */
async function follow({ cookie }: Customer) {
  const { body } = await open(cookie);
  let text = '';
  const ended = (async () => {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })();
  const says = (id: string, status: string) => new RegExp(`"${id}".*"${status}"`).test(text);
  return { ended, until: (id: string, status: string) => until(`${id} is ${status}`, async () => says(id, status)) };
}

async function place(customer: Customer): Promise<string> {
  const order = { items: [{ productId: await newProduct(customer), quantity: 1 }] };
  return (await sendExpecting(201, customer.send, 'POST', '/orders', order)).body.id;
}

it('a stream outlives the route time-out', async () => {
  const ada = await newCustomer(anonymous);
  const page = await follow(ada);
  const id = await place(ada);
  await page.until(id, 'PENDING');
  await wait(22_000);
  await sendExpecting(201, ada.send, 'POST', `/orders/${id}/cancellation`);
  await page.until(id, 'CANCELLED');
  await ada.send('GET', '/auth/logout');
  await page.ended;
});

it.each([
  ['a logout', 'GET', '/auth/logout'],
  ['log out everywhere', 'DELETE', '/auth/sessions'],
])('%s closes the streams of the session within a second, and no others', async (_, method, path) => {
  const [ada, bob] = [await newCustomer(anonymous), await newCustomer(anonymous)];
  const [page, other] = [await follow(ada), await follow(bob)];
  expect((await ada.send(method, path)).status).toBeLessThan(300);
  const endedAt = performance.now();
  await page.ended;
  expect(performance.now() - endedAt).toBeLessThan(1_000);
  expect((await open(ada.cookie)).status).toBe(401);
  await other.until(await place(bob), 'PENDING');
  await bob.send('GET', '/auth/logout');
  await other.ended;
});

it('auth reports hundreds of ended sessions, whatever their tokens hold', async () => {
  const { findEnded } = createAuthClient({ baseUrl: store.url('auth'), credential: store.credential });
  const now = Date.now() / 1000;
  const longest = { authenticatedAt: now, expiresAt: now + 600, kid: 'k'.repeat(100), isApiKey: false };
  const open = Array.from({ length: 500 }, () => ({ ...longest, id: randomUUID(), accountId: randomUUID() }));
  // Signed with an unknown key.
  expect(await findEnded(open)).toEqual(new Set(open.map(({ id }) => id)));
});
