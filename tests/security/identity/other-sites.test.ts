import { certificateFor } from '../../kit/certificates.ts';
import { COOKIE, type Fixture, http, startUnlimited } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { name, openHttp2, sendHttps } from '../tls/_tls.ts';

// Requests of a browser for another site's page, with the customer's cookies (contract 2.10).

const SHOP = 'http://localhost:3000';
const SIBLING = 'http://evil.store.test';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited({ cors: { allowedOrigins: [SHOP] } });
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

async function expectRefused(line: string, headers: string[], on = fixture): Promise<void> {
  const answer = await on.send(http(line, headers));
  expect(answer.status).toBe(403);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(answer.body)).toEqual({
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    detail:
      'The browser says that another site makes this request. Make it from a page of this address, or allow the origin of that site in CORS_ALLOWED_ORIGINS (gateway.cors.allowedOrigins).',
    instance: line.split(' ')[1]?.split('?')[0],
  });
  expect([...on.checks(), ...on.reached()]).toEqual([]);
}

async function expectServed(line: string, headers: string[], on = fixture): Promise<void> {
  expect((await on.send(http(line, [`Cookie: ${COOKIE}`, ...headers]))).status).toBe(200);
  expect(on.reached()).toHaveLength(1);
}

it("a sibling's form cannot log a customer into another account", () =>
  expectRefused('POST /auth/login', [
    `Origin: ${SIBLING}`,
    'Sec-Fetch-Site: same-site',
    'Sec-Fetch-Mode: navigate',
    'Content-Type: text/plain',
  ]));

it.each(['cross-site', 'same-site'])('a link that is %s cannot log a customer out', (site) =>
  expectRefused('GET /auth/logout', [`Cookie: ${COOKIE}`, `Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate']),
);

describe('a request that changes something', () => {
  const elsewhere: [string, string[]][] = [
    ['from another site', ['Sec-Fetch-Site: cross-site']],
    ['from a sibling', ['Sec-Fetch-Site: same-site']],
    ['from a sibling, in another case', ['sec-fetch-SITE: Same-Site']],
    ['from a site of an unknown kind', ['Sec-Fetch-Site: elsewhere']],
    ['with Sec-Fetch-Site twice', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']],
    [
      'with the own origin after a redirect by another site',
      ['Sec-Fetch-Site: cross-site', 'Origin: http://store.test'],
    ],
    ['with the origin of a sibling', [`Origin: ${SIBLING}`]],
    ['with a foreign origin that claims to be the own', ['Sec-Fetch-Site: same-origin', `Origin: ${SIBLING}`]],
    ['with the origin null', ['Origin: null']],
    ['with an empty origin', ['Origin:']],
    ['with the own origin by another scheme', ['Origin: https://store.test']],
    ['with the own origin by another scheme, forged', ['Origin: https://store.test', 'X-Forwarded-Proto: https']],
    ['with the own origin by another port', ['Origin: http://store.test:8081']],
    ['with the port of another scheme', ['Origin: http://store.test:443']],
    ['with an origin that begins like the own', ['Origin: http://store.test.evil.test']],
    ['with an origin that ends like the own', ['Origin: http://evil-store.test']],
    ['with the own host as a user', ['Origin: http://store.test@evil.test']],
    ['with a path', ['Origin: http://store.test/']],
    ['with a pattern', ['Origin: http://store.tes.']],
    ['with invalid UTF-8', ['Origin: http://store.test\xff']],
    ['with the origin twice', ['Origin: http://store.test', `Origin: ${SIBLING}`]],
    ['with an allowed origin among others', [`Origin: ${SHOP}`, `Origin: ${SIBLING}`]],
    ['with an allowed origin in another case', ['Origin: http://LOCALHOST:3000']],
    ['with the host of an allowed origin', ['Origin: https://localhost:3000']],
  ];
  it.each(elsewhere)('%s is refused', async (_, headers) => {
    await expectRefused('POST /orders', [`Cookie: ${COOKIE}`, ...headers]);
    await expectRefused('GET /auth/logout?a=b', headers);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('is one of the method %s', (method) =>
    expectRefused(`${method} /orders/1`, [`Cookie: ${COOKIE}`, `Origin: ${SIBLING}`]),
  );

  it.each(['//auth//logout', '/x/../auth/logout', '/auth/./logout', '/auth/log%6Fut', '/auth/logout?'])(
    'is GET of %s, and HEAD',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fixture.send(
          http(`${method} ${path}`, ['Sec-Fetch-Site: cross-site', `Cookie: ${COOKIE}`]),
        );
        expect(answer.status).toBe(403);
      }
      expect([...fixture.checks(), ...fixture.reached()]).toEqual([]);
    },
  );

  const served: [string, string[]][] = [
    ['without these headers', []],
    ['from the own page', ['Sec-Fetch-Site: same-origin', 'Origin: http://store.test']],
    ['from a page of before Sec-Fetch-Site', ['Origin: http://store.test']],
    ['with the own origin in another case', ['Origin: HTTP://Store.Test']],
    ['with the default port', ['Origin: http://store.test:80']],
    ['typed by the customer', ['Sec-Fetch-Site: none']],
    ['from an allowed origin', [`Origin: ${SHOP}`]],
    ['from an allowed origin of another site', [`Origin: ${SHOP}`, 'Sec-Fetch-Site: cross-site']],
    ['from an allowed sibling', [`Origin: ${SHOP}`, 'Sec-Fetch-Site: same-site']],
  ];
  it.each(served)('%s is served', async (_, headers) => {
    await expectServed('POST /orders', headers);
    fixture.clear();
    await expectServed('GET /auth/logout', headers);
  });

  it.each([
    ['store.test:80', 'http://store.test', 200],
    ['STORE.test:8080', 'http://store.test:8080', 200],
    ['store.test:8080', 'http://store.test', 403],
    ['store.test:443', 'http://store.test', 403],
    ['[::1]:8080', 'http://[::1]:8080', 200],
    ['[::80]', 'http://[::80]', 200],
    ['[::80]', 'http://[:', 403],
  ])('asked of the host %s, with the origin %s, is %d', async (host, origin, status) => {
    const answer = await fixture.send(
      `POST /auth/login HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
  });

  it('is judged over HTTP/2 by the authority, and not by the scheme that the client writes', async () => {
    const login = { ':method': 'POST', ':path': '/auth/login', ':authority': 'store.test:8080', ':scheme': 'https' };
    const status = async (headers: Record<string, string | string[]>) =>
      (await sendHttp2(fixture.port, { ...login, ...headers })).status;
    expect(await status({ origin: 'http://store.test:8080' })).toBe(200);
    expect(await status({ origin: 'https://store.test:8080' })).toBe(403);
    expect(await status({ origin: SIBLING })).toBe(403);
    expect(await status({ 'sec-fetch-site': ['same-origin', 'cross-site'] })).toBe(403);
  });
});

it.each(['GET /accounts', 'HEAD /orders', 'OPTIONS /orders', 'GET /auth/logout/x'])(
  '%s changes nothing, and is served to any site',
  (line) => expectServed(line, [`Origin: ${SIBLING}`, 'Sec-Fetch-Site: cross-site']),
);

it('an allowed origin gets its CORS headers beside the answer', async () => {
  const { status, headers } = await fixture.send(
    http('POST /auth/login', [`Origin: ${SHOP}`, 'Sec-Fetch-Site: same-site']),
  );
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'access-control-allow-origin': SHOP, 'access-control-allow-credentials': 'true' });
});

it('without allowed origins the own page alone changes something', async () => {
  const closed = await startUnlimited();
  try {
    await expectRefused('POST /auth/login', [`Origin: ${SHOP}`], closed);
    await expectServed('POST /auth/login', ['Origin: http://store.test', 'Sec-Fetch-Site: same-origin'], closed);
  } finally {
    await closed.stop();
  }
});

it('with * any origin changes something, without a cookie only', async () => {
  const open = await startUnlimited({ cors: { allowedOrigins: ['*'], allowedCredentials: false } });
  try {
    expect((await open.send(http('POST /auth/register', [`Origin: ${SIBLING}`]))).status).toBe(200);
    open.clear();
    await expectRefused('POST /orders', [`Origin: ${SIBLING}`, `Cookie: ${COOKIE}`], open);
    await expectRefused('GET /auth/logout', [`Origin: ${SIBLING}`, `Cookie: ${COOKIE}`], open);
    await expectRefused('GET /auth/logout', ['Sec-Fetch-Site: cross-site'], open);
  } finally {
    await open.stop();
  }
});

describe('over HTTPS the own origin is that of https', () => {
  const statuses: [origin: string, status: number][] = [
    [`https://${name}`, 200],
    [`https://${name}:443`, 200],
    [`http://${name}`, 403],
    ['https://evil.test', 403],
  ];

  it('where the gateway ends TLS', async () => {
    const certificate = await certificateFor(name);
    const tls = await startUnlimited({}, certificate);
    const request = { ca: certificate.cert, method: 'POST', path: '/auth/login' };
    try {
      for (const [origin, status] of statuses) {
        expect((await sendHttps(tls.httpsPort, { ...request, headers: { origin } })).status).toBe(status);
        const headers = { ':method': 'POST', ':path': '/auth/login', ':authority': name, origin };
        expect((await sendHttp2(openHttp2(tls.httpsPort, certificate.cert), headers)).status).toBe(status);
      }
    } finally {
      await tls.stop();
    }
  });

  it('where a trusted proxy ends TLS', async () => {
    const behind = await startUnlimited({ trustedHops: 1 });
    try {
      for (const [origin, status] of statuses) {
        const headers = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https', `Origin: ${origin}`];
        expect((await behind.send(http('POST /auth/login', headers))).status).toBe(status);
      }
    } finally {
      await behind.stop();
    }
  });
});
