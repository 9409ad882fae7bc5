import { certificateFor } from '../../kit/certificates.ts';
import { COOKIE, expectProblem, type Gateway, useGateway } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { name, openHttp2, sendHttps } from '../tls/_tls.ts';

// Requests that a browser sends for another site's page, with the customer's cookies (contract 2.10).

const SHOP = 'http://localhost:3000';
const SIBLING = 'http://evil.store.test';
const OWN = 'http://store.test';

const gateway = useGateway({ cors: { allowedOrigins: [SHOP] } });

async function expectRefused(line: string, headers: string[], on: Gateway = gateway): Promise<void> {
  const instance = line.split(' ')[1]?.split('?')[0];
  const detail = expect.stringContaining('The browser says that another site makes this request.');
  expectProblem(await on.ask(line, headers), 403, { title: 'Forbidden', detail, instance });
  expect(on.seen).toEqual([]);
}

async function expectServed(line: string, headers: string[], on: Gateway = gateway): Promise<void> {
  on.clear();
  expect((await on.askAsCustomer(line, headers)).status).toBe(200);
  expect(on.reached()).toHaveLength(1);
}

it("a sibling's form cannot log a customer into another account", () => {
  const ofForm = ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: navigate', 'Content-Type: text/plain'];
  return expectRefused('POST /auth/login', [`Origin: ${SIBLING}`, ...ofForm]);
});

it.each(['cross-site', 'same-site'])('a link that is %s cannot log a customer out', (site) =>
  expectRefused('GET /auth/logout', [`Cookie: ${COOKIE}`, `Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate']),
);

describe('a request that changes something', () => {
  it.each([
    ['from another site', ['Sec-Fetch-Site: cross-site']],
    ['from a sibling', ['Sec-Fetch-Site: same-site']],
    ['from a sibling, in another case', ['sec-fetch-SITE: Same-Site']],
    ['from a site of an unknown kind', ['Sec-Fetch-Site: elsewhere']],
    ['with Sec-Fetch-Site twice', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']],
    ["with the store's origin after a redirect by another site", ['Sec-Fetch-Site: cross-site', `Origin: ${OWN}`]],
    ["with a sibling's origin", [`Origin: ${SIBLING}`]],
    ["with a foreign origin that claims to be the store's", ['Sec-Fetch-Site: same-origin', `Origin: ${SIBLING}`]],
    ['with the origin null', ['Origin: null']],
    ['with an empty origin', ['Origin:']],
    ["with the store's origin but another scheme", ['Origin: https://store.test']],
    ["with the store's origin but another scheme, forged", ['Origin: https://store.test', 'X-Forwarded-Proto: https']],
    ["with the store's origin but another port", [`Origin: ${OWN}:8081`]],
    ['with the port of another scheme', [`Origin: ${OWN}:443`]],
    ["with an origin that begins like the store's", [`Origin: ${OWN}.evil.test`]],
    ["with an origin that ends like the store's", ['Origin: http://evil-store.test']],
    ["with the store's host as a user", [`Origin: ${OWN}@evil.test`]],
    ['with a path', [`Origin: ${OWN}/`]],
    ['with a pattern', ['Origin: http://store.tes.']],
    ['with invalid UTF-8', [`Origin: ${OWN}\xff`]],
    ['with the origin twice', [`Origin: ${OWN}`, `Origin: ${SIBLING}`]],
    ['with an allowed origin among others', [`Origin: ${SHOP}`, `Origin: ${SIBLING}`]],
    ['with an allowed origin in another case', ['Origin: http://LOCALHOST:3000']],
    ['with the host of an allowed origin but another scheme', ['Origin: https://localhost:3000']],
  ])('%s is refused', async (_, headers) => {
    await expectRefused('POST /orders', [`Cookie: ${COOKIE}`, ...headers]);
    await expectRefused('GET /auth/logout?a=b', headers);
  });

  it.each([
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].map((method) => `${method} /orders/1`),
    ...['//auth//logout', '/x/../auth/logout', '/auth/./logout', '/auth/log%6Fut', '/auth/logout?'].flatMap((path) => [
      `GET ${path}`,
      `HEAD ${path}`,
    ]),
  ])('is %s', async (line) => {
    expect((await gateway.askAsCustomer(line, ['Sec-Fetch-Site: cross-site'])).status).toBe(403);
    expect(gateway.seen).toEqual([]);
  });

  it.each([
    ['without these headers', []],
    ["from the store's own page", ['Sec-Fetch-Site: same-origin', `Origin: ${OWN}`]],
    ['from a browser without Sec-Fetch-Site', [`Origin: ${OWN}`]],
    ["with the store's origin in another case", ['Origin: HTTP://Store.Test']],
    ['with the default port', [`Origin: ${OWN}:80`]],
    ['typed by the customer', ['Sec-Fetch-Site: none']],
    ['from an allowed origin', [`Origin: ${SHOP}`]],
    ['from an allowed origin of another site', [`Origin: ${SHOP}`, 'Sec-Fetch-Site: cross-site']],
    ['from an allowed sibling', [`Origin: ${SHOP}`, 'Sec-Fetch-Site: same-site']],
  ])('%s is served', async (_, headers) => {
    await expectServed('POST /orders', headers);
    await expectServed('GET /auth/logout', headers);
  });

  it.each([
    ['store.test:80', OWN, 200],
    ['STORE.test:8080', `${OWN}:8080`, 200],
    ['store.test:8080', OWN, 403],
    ['store.test:443', OWN, 403],
    ['[::1]:8080', 'http://[::1]:8080', 200],
    ['[::80]', 'http://[::80]', 200],
    ['[::80]', 'http://[:', 403],
  ])('to the host %s with the origin %s is %d', async (host, origin, status) => {
    const lines = ['POST /auth/login HTTP/1.1', `Host: ${host}`, `Origin: ${origin}`, 'Content-Length: 0', '', ''];
    expect((await gateway.send(lines.join('\r\n'))).status).toBe(status);
  });

  it.each([
    [200, { origin: 'http://store.test:8080' }],
    [403, { origin: 'https://store.test:8080' }],
    [403, { origin: SIBLING }],
    [403, { 'sec-fetch-site': ['same-origin', 'cross-site'] }],
  ])("is %i over HTTP/2, by the authority and not by the client's scheme: %j", async (status, headers) => {
    const login = { ':method': 'POST', ':path': '/auth/login', ':authority': 'store.test:8080', ':scheme': 'https' };
    expect((await sendHttp2(gateway.port, { ...login, ...headers })).status).toBe(status);
  });
});

it.each(['GET /accounts', 'HEAD /orders', 'OPTIONS /orders', 'GET /auth/logout/x'])(
  '%s changes nothing and is served to any site',
  (line) => expectServed(line, [`Origin: ${SIBLING}`, 'Sec-Fetch-Site: cross-site']),
);

const statuses: [origin: string, status: number][] = [
  [`https://${name}`, 200],
  [`https://${name}:443`, 200],
  [`http://${name}`, 403],
  ['https://evil.test', 403],
];

describe('without allowed origins, behind a trusted proxy', () => {
  const closed = useGateway({ trustedHops: 1 });

  it("only the store's own page can change something", async () => {
    await expectRefused('POST /auth/login', [`Origin: ${SHOP}`], closed);
    await expectServed('POST /auth/login', [`Origin: ${OWN}`, 'Sec-Fetch-Site: same-origin'], closed);
  });

  it.each(statuses)("that terminates TLS the store's origin has the scheme https: %s", async (origin, status) => {
    const headers = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https', `Origin: ${origin}`];
    expect((await closed.ask('POST /auth/login', headers)).status).toBe(status);
  });
});

describe('with *', () => {
  const open = useGateway({ cors: { allowedOrigins: ['*'], allowedCredentials: false } });

  it('any origin can change something, but only without a cookie', async () => {
    expect((await open.ask('POST /auth/register', [`Origin: ${SIBLING}`])).status).toBe(200);
    open.clear();
    await expectRefused('POST /orders', [`Origin: ${SIBLING}`, `Cookie: ${COOKIE}`], open);
    await expectRefused('GET /auth/logout', [`Origin: ${SIBLING}`, `Cookie: ${COOKIE}`], open);
    await expectRefused('GET /auth/logout', ['Sec-Fetch-Site: cross-site'], open);
  });
});

const certificate = await certificateFor(name);

describe('if the gateway terminates TLS', () => {
  const tls = useGateway({}, certificate);
  const ca = certificate.cert;

  it.each(statuses)("the store's origin has the scheme https: %s", async (origin, status) => {
    const login = { ca, method: 'POST', path: '/auth/login', headers: { origin } };
    expect((await sendHttps(tls.httpsPort, login)).status).toBe(status);
    const headers = { ':method': 'POST', ':path': '/auth/login', ':authority': name, origin };
    expect((await sendHttp2(openHttp2(tls.httpsPort, ca), headers)).status).toBe(status);
  });
});
