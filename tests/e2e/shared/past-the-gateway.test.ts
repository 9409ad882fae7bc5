import { decodeProtectedHeader } from 'jose';
import { newCredential } from '../../kit/credentials.ts';
import { type Customer, newCustomer } from '../../kit/customer.ts';
import { createSend, type Send } from '../../kit/http.ts';
import { sharedStore } from '../_shared-store.ts';

// An attacker has reached the services' own addresses and knows account ids. The store runs as with presets/prod.yaml:
// services check the token themselves and demand a credential on internal paths.

const tea = { name: 'Tea', price: 1.25, unit: 'kg' };
const store = sharedStore();
const { credential } = store;
const anonymous = createSend(store.gatewayUrl);
const [alice, mallory] = [await newCustomer(anonymous), await newCustomer(anonymous)];

const at = (service: string): Send => createSend(store.url(service));
const tokenOf = ({ cookie }: Customer) => cookie.slice(cookie.indexOf('=') + 1);
const as = (customer: Customer, { bearer = customer } = {}) => ({
  'id-account': customer.accountId,
  authorization: `Bearer ${tokenOf(bearer)}`,
});

describe('a token', () => {
  it('is signed with the private key and accepted by every service behind the gateway', async () => {
    expect(decodeProtectedHeader(tokenOf(alice)).alg).toBe('EdDSA');
    const created = await alice.send('POST', '/products', tea);
    expect(created.status).toBe(201);
    expect((await alice.send('GET', '/accounts')).body).toMatchObject([{ id: alice.accountId }]);
    const items = [{ productId: created.body.id, quantity: 1 }];
    expect((await alice.send('POST', '/orders', { items })).status).toBe(201);
  });

  it('is verified with a key that auth publishes only inside the cluster', async () => {
    const published = await at('auth')('GET', '/.well-known/jwks.json');
    expect(published.body).toEqual({
      keys: [
        { ...{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' }, x: expect.any(String), kid: expect.any(String) },
      ],
    });
    expect((await alice.send('GET', '/.well-known/jwks.json')).status).toBe(404);
  });
});

describe.each([
  ['account', '/accounts'],
  ['order', '/orders'],
])('id-account at the address of %s', (service, path) => {
  it.each([
    ['without a token', () => ({ 'id-account': alice.accountId })],
    ['with the token of another customer', () => as(alice, { bearer: mallory })],
    ['with an invalid token', () => ({ ...as(alice), authorization: 'Bearer a.b.c' })],
  ])('is not believed %s', async (_, headers) => {
    expect((await at(service)('GET', path, undefined, headers())).status).toBe(401);
  });

  it('is believed with the token of the customer', async () => {
    expect((await at(service)('GET', path, undefined, as(alice))).status).toBe(200);
  });
});

describe('an internal path', () => {
  const wrong = { email: 'nobody@example.com', password: 'a wrong password' };
  const calls: [string, string, string, object | undefined, number][] = [
    ['account', 'POST', '/internal/password-checks', wrong, 401],
    ['account', 'POST', '/internal/accounts', { ...wrong, name: 'Nobody' }, 201],
    ['inventory', 'PUT', '/stock/00000000-0000-4000-8000-00000000dead', { available: 5 }, 404],
    ['order', 'GET', '/internal/order-demands?id=00000000-0000-4000-8000-00000000dead', undefined, 200],
    ['order', 'GET', '/internal/orders/00000000-0000-4000-8000-00000000dead/lines', undefined, 404],
    ['order', 'GET', '/internal/shipped-orders?id=00000000-0000-4000-8000-00000000dead', undefined, 200],
    ['payment', 'POST', '/internal/orders/00000000-0000-4000-8000-00000000dead/refunds', undefined, 400],
    ['product', 'PUT', '/internal/products/00000000-0000-4000-8000-00000000dead', tea, 404],
  ];

  it.each(calls)('of %s refuses %s %s without the credential of its caller', async (service, method, path, body) => {
    expect((await at(service)(method, path, body)).status).toBe(403);
    expect((await at(service)(method, path, body, as(alice))).status).toBe(403);
    const authorization = `Bearer ${newCredential()}`;
    expect((await at(service)(method, path, body, { authorization })).status).toBe(403);
  });

  it.each(calls)('of %s answers %s %s with the credential', async (service, method, path, body, status) => {
    const authorization = `Bearer ${credential}`;
    expect((await at(service)(method, path, body, { authorization })).status).toBe(status);
  });
});

it('the log has no key, credential or token', async () => {
  const logs = await store.logs();
  expect(logs).toContain('Request handled');
  for (const secret of [credential, store.env.JWT_PRIVATE_KEY?.split('\n')[1], tokenOf(alice), alice.password])
    expect(logs).not.toContain(secret);
});
