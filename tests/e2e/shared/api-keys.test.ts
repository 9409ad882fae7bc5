import { randomUUID } from 'node:crypto';
import { createStore } from '@store-platform/client';
import { parse } from 'yaml';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { read } from '../../kit/read.ts';
import { sharedStore, startSharedGateway, startSharedReplica } from '../_shared-store.ts';
import { until } from '../_store.ts';

// API keys (contract 3.12) with services that check tokens themselves, as in production. services/auth/test covers the rest.

interface OpenApi {
  paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
}
const { paths }: OpenApi = parse(read('docs/openapi.yaml'));
const secured = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.length > 0)
    .map(([method, { security }]) => ({
      call: [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, randomUUID())] as const,
      /** A key needs one of them; undefined if no key may call it. */
      scopes: security.some((one) => 'apiKey' in one) ? security.flatMap(({ apiKey = [] }) => apiKey) : undefined,
    })),
);
const allScopes = [...new Set(secured.flatMap(({ scopes = [] }) => scopes))];

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);
const ada = await newCustomer(anonymous);
const give = async (...roles: string[]) => {
  const authorization = `Bearer ${store.credential}`;
  const path = `/internal/accounts/${ada.accountId}/roles`;
  expect((await createSend(store.url('auth'))('PUT', path, { roles }, { authorization })).status).toBe(200);
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function newKey(scopes: string[], { send }: Customer = ada) {
  const { status, body } = await send('POST', '/auth/keys', { name: 'Shipping', scopes, expiresAt: inAnHour() });
  expect(status).toBe(201);
  const { id, key }: { id: string; key: string } = body;
  const end = async () => expect((await send('DELETE', `/auth/keys/${id}`)).status).toBe(204);
  return { id, key, end, send: withCookie(anonymous, `__store_jwt_token=${key}`) };
}

it('a machine reads and places orders with the client, but nothing beyond its scopes', async () => {
  const product = await newProduct(ada);
  const { key } = await newKey(['orders:read', 'orders:write']);
  const machine = createStore({ url: store.gatewayUrl, apiKey: key });
  const { id } = await machine.placeOrder({ body: { items: [{ productId: product, quantity: 1 }] } });
  expect(await machine.getOrder({ path: { id } })).toMatchObject({ id, customerId: ada.accountId });
  expect(await machine.getProduct({ path: { id: product } })).toMatchObject({ id: product });
  const message = 'The API key lacks the scope products:write.';
  await expect(machine.deleteProduct({ path: { id: product } })).rejects.toMatchObject({ status: 403, message });
  await expect(machine.listAccounts()).rejects.toMatchObject({ status: 403 });
  const bob = await newCustomer(anonymous);
  await expect(
    createStore({ url: store.gatewayUrl, apiKey: (await newKey(['orders:read'], bob)).key }).getOrder({ path: { id } }),
  ).rejects.toMatchObject({ status: 404 });
});

it('each documented operation refuses a key with every scope but those it accepts, and names these', async () => {
  expect(allScopes.length).toBeGreaterThan(2);
  await give('catalogue', 'operator');
  const forged = { 'account-scopes': allScopes.join(), 'account-roles': 'catalogue,operator' };
  for (const accepted of Map.groupBy(secured, ({ scopes }) => scopes?.join(' or ')).values()) {
    const { send, end } = await newKey(allScopes.filter((scope) => !accepted[0]?.scopes?.includes(scope)));
    for (const { call, scopes } of accepted) {
      const { status, body } = await send(...call, undefined, forged);
      if (scopes?.length === 0) expect([call, status]).not.toEqual([call, 403]);
      else
        expect([call, status, body?.detail]).toEqual([
          call,
          403,
          scopes === undefined
            ? expect.stringMatching(/^No API key may do this/)
            : `The API key lacks the scope ${scopes.join(' or ')}.`,
        ]);
    }
    await end();
  }
});

it('a deleted key stops working within a second, and its streams end', async () => {
  const { key, end, send } = await newKey(['orders:read']);
  let isOpen = false;
  const events = createStore({ url: store.gatewayUrl, apiKey: key }).orderEvents({
    onStart: () => {
      isOpen = true;
    },
  });
  const ended = expect(events.next()).rejects.toMatchObject({ status: 401 });
  await until('the stream is open', async () => isOpen);
  await end();
  expect((await send('GET', '/orders')).status).toBe(401);
  await ended;
});

it('a scope gives no right that the account lacks or has lost', async () => {
  const product = await startSharedReplica('product', { PRODUCT_WRITERS: 'role:catalogue' });
  const { url } = await startSharedGateway({ upstreams: product });
  const { key } = await newKey(['products:write']);
  const tea = { name: 'Tea', price: 1.25, unit: 'kg' };
  const headers = { cookie: `__store_jwt_token=${key}`, 'account-roles': 'catalogue' };
  const create = async () => (await createSend(url)('POST', '/products', tea, headers)).status;
  const untilStatus = (status: number) => until(`it is ${status}`, async () => (await create()) === status, 1_000);
  await give();
  await untilStatus(403);
  await give('catalogue');
  await untilStatus(201);
  await give();
  await untilStatus(403);
});
