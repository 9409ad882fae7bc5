import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createStore } from '@store-platform/client';
import { parse } from 'yaml';
import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { serve } from '../../kit/listen.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { read } from '../../kit/read.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Machines and their secrets (contract 3.13, 4.22) with services that check tokens and credentials, as in production.

interface OpenApi {
  paths: Record<string, Record<string, { security: object[] }>>;
}
const { paths }: OpenApi = parse(read('docs/openapi.yaml'));
const secured = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.length > 0)
    .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, randomUUID())] as const),
);

const store = sharedStore();
const anonymous = createSend(store.gatewayUrl);
const olga = await newCustomer(anonymous);
const authorization = `Bearer ${store.credential}`;
const inside = (service: string) => {
  const send = createSend(store.url(service));
  return (method: string, path: string, body?: object) => send(method, path, body, { authorization });
};
const roles = ['catalogue', 'operator'];
expect((await inside('auth')('PUT', `/internal/accounts/${olga.accountId}/roles`, { roles })).status).toBe(200);

async function machine(scopes: string[]) {
  const { status, body: account } = await olga.send('POST', '/auth/service-accounts', { name: 'ERP', scopes, roles });
  expect(status).toBe(201);
  const path = `/auth/service-accounts/${account.id}`;
  const { body: made } = await olga.send('POST', `${path}/keys`, { name: 'March' });
  const key: string = made.key;
  return { path, key, send: withCookie(anonymous, `__store_jwt_token=${key}`) };
}

it.each(['paused', 'deleted'])('a %s machine is refused by every operation, and its stream ends', async (how) => {
  const scopes = ['orders:read', 'orders:all', 'products:write', 'webhooks'];
  const { path, key, send } = await machine(scopes);
  let isOpen = false;
  const events = createStore({ url: store.gatewayUrl, apiKey: key }).orderEvents({
    onStart: () => {
      isOpen = true;
    },
  });
  const ended = expect(events.next()).rejects.toMatchObject({ status: 401 });
  await until('the stream is open', async () => isOpen);
  const change = how === 'paused' ? ['PATCH', path, { paused: true }] : ['DELETE', path];
  expect((await olga.send(...(change as [string, string]))).status).toBeLessThan(300);
  await ended;
  for (const operation of secured) expect([operation, (await send(...operation)).status]).toEqual([operation, 401]);
});

it('an import that a machine has begun is finished when it is paused, and it sees no more of it', async () => {
  const { path, key, send } = await machine(['products:write']);
  const sku = `machine-${randomUUID()}`;
  const { hostname, port } = new URL(store.gatewayUrl);
  const headers = { cookie: `__store_jwt_token=${key}`, 'content-type': 'application/x-ndjson' };
  const upload = request({ hostname, port, method: 'POST', path: '/products/imports', headers });
  const answer = new Promise<{ status: number; body: { id: string } }>((resolve, reject) => {
    upload.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) });
    });
  });
  upload.write(`{"sku":"${sku}","name":"Tea","price":1,"unit":"kg"}`);
  const receiving = `select from product_imports where state = 'RECEIVING' and actor = 'account ${path.split('/').at(-1)}'`;
  await until(
    'it is being received',
    async () => (await queryOnce(store.databaseUrl('product'), receiving)).length === 1,
  );
  await olga.send('PATCH', path, { paused: true });
  await until('the key is refused', async () => (await send('GET', '/products')).status === 401);
  upload.end();
  const { status, body } = await answer;
  expect(status).toBe(202);
  expect((await send('GET', `/products/imports/${body.id}`)).status).toBe(401);
  const state = async () => (await inside('product')('GET', `/internal/products/imports/${body.id}`)).body;
  await until('it is imported', async () => (await state()).state === 'DONE');
  expect(await state()).toMatchObject({ created: 1, failed: 0 });
});

it('no log, metric, trail, export or page of the console has the secret of a webhook or a key', async () => {
  let isAsked = false;
  const receiver = await serve((_, res) => {
    isAsked = true;
    res.writeHead(500).end();
  });
  const { path, key, send } = await machine(['webhooks', 'orders:read', 'orders:write']);
  const place = `sesame-${randomUUID()}`;
  const given = { url: `${receiver}/${place}`, kinds: ['OrderCreated'] };
  const { body: webhook } = await send('POST', '/webhooks', given);
  const at = `/webhooks/${webhook.id}`;
  const { body: renewed } = await send('POST', `${at}/secrets`);
  const { body: own } = await olga.send('POST', '/auth/keys', { name: 'Own', scopes: ['orders:read'] });
  expect((await send('POST', `${at}/tests`)).status).toBe(202);
  await until('a delivery has failed', async () => {
    const { body } = await send('GET', `${at}/deliveries`);
    return isAsked && body[0]?.failure !== null;
  });
  for (const url of [`https://me:${place}@example.com/`, `ftp://example.com/${place}`])
    expect((await send('PATCH', at, { url })).status).toBe(400);

  const secrets = [webhook.secret, renewed.secret, ...[key, own.key].map((one: string) => one.split('.')[2] ?? '')];
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(30);
  const auth = inside('auth');
  const shown: Record<string, unknown> = {
    'the export': await olga.send('GET', `/accounts/${olga.accountId}/export`),
    'the trail of auth': await auth('GET', '/internal/audit?size=100'),
    'the trail of webhooks': await inside('webhook')('GET', '/internal/audit?size=100'),
    'machines in the console': await auth('GET', '/internal/service-accounts'),
    'webhooks in the console': await inside('webhook')('GET', '/internal/webhooks'),
    'deliveries in the console': await inside('webhook')('GET', `/internal${at}/deliveries`),
    'keys of the machine': await olga.send('GET', `${path}/keys`),
    webhooks: await send('GET', '/webhooks'),
  };
  for (const [name, answer] of Object.entries(shown)) {
    expect([name, (answer as { status: number }).status]).toEqual([name, 200]);
    expect([name, secrets.filter((secret) => JSON.stringify(answer).includes(secret))]).toEqual([name, []]);
  }
  const metrics = ['auth', 'webhook', 'notification', 'order', 'gateway'].map(async (name) =>
    (await fetch(`${store.metricsUrl(name)}/metrics`)).text(),
  );
  // The path of an address may be a secret too. Only those who manage webhooks see it.
  const hidden = [
    shown['the export'],
    shown['the trail of webhooks'],
    ...(await Promise.all(metrics)),
    await store.logs(),
  ];
  const texts = hidden.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  for (const content of texts) {
    expect(content.length).toBeGreaterThan(100);
    expect([...secrets, place].filter((secret) => content.includes(secret))).toEqual([]);
  }
  expect((await send('DELETE', at)).status).toBe(204);
});

it('a machine that may hear of orders gets no other way to them', async () => {
  const { send } = await machine(['webhooks']);
  const ada = await newCustomer(anonymous);
  const productId = await newProduct(ada);
  const { body: order } = await ada.send('POST', '/orders', { items: [{ productId, quantity: 1 }] });
  const own = `/orders/${order.id}`;
  for (const path of ['/orders', own, `${own}/invoice`, '/store/orders', `/store${own}`, `/store${own}/invoice`])
    expect([path, (await send('GET', path)).status]).toEqual([path, 403]);
  const { send: reader } = await machine(['orders:read']);
  expect((await reader('GET', own)).status).toBe(404);
  expect((await reader('GET', `${own}/shipments`)).status).toBe(404);
  for (const path of ['/store/orders', `/store${own}`, `/store${own}/invoice`, `/store${own}/credit-notes`])
    expect([path, (await reader('GET', path)).status]).toEqual([path, 403]);
});
