import { ACCOUNT, COOKIE, type Fixture, http, startFixture, TOKEN, VICTIM } from './_fixture.ts';
import { reply, type Seen, startUpstream, type Upstream } from './_upstream.ts';

// The external site with every value at the letter of the specification (contract 2.8): forwarded, and the site's response.

const seen: Seen[] = [];
let site: Upstream;
let gateway: Fixture;

beforeAll(async () => {
  site = await startUpstream('site', (request) => seen.push(request));
  gateway = await startFixture({
    external: {
      url: `http://127.0.0.1:${site.port}`,
      stripPrefix: false,
      forwardIdentity: true,
      contentSecurityPolicy: '',
      removeHeaders: false,
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await site?.down();
});

test('gets the path, the identity and the body as they were sent', async () => {
  site.answer(reply(200));
  const body = Buffer.from([...Array(256).keys()]).toString('latin1');
  const lines = [`Cookie: a=1; ${COOKIE}`, `id-account: ${VICTIM}`, 'X-Own: 1', `Content-Length: ${body.length}`];
  expect((await gateway.send(http('POST /external/page/1?a=/external/&b=%20', lines, body))).status).toBe(200);
  expect(seen).toMatchObject([
    {
      method: 'POST',
      path: '/external/page/1?a=/external/&b=%20',
      headers: {
        cookie: `a=1; ${COOKIE}`,
        'id-account': ACCOUNT,
        authorization: `Bearer ${TOKEN}`,
        'x-own': '1',
        host: `127.0.0.1:${site.port}`,
      },
      body,
    },
  ]);
});

test('answers byte for byte, with all headers that it sends', async () => {
  const body = Buffer.from([...Array(256).keys()]).toString('latin1');
  const sent = {
    'clear-site-data': '"cookies"',
    'strict-transport-security': 'max-age=1',
    'service-worker-allowed': '/',
    'alt-svc': 'h3=":443"',
    nel: '{}',
    'report-to': '{"group":"a"}',
    'content-security-policy': "default-src 'self'",
    'set-cookie': '__store_jwt_token=own; Path=/',
    server: 'own/1.0',
    date: 'Sun, 06 Nov 1994 08:49:37 GMT',
    via: '1.1 own',
    etag: '"1"',
    'cache-control': 'no-store',
    'content-type': 'application/octet-stream',
    'www-authenticate': 'Basic realm="own"',
    'x-powered-by': 'own',
  };
  for (const status of [200, 404, 401, 500]) {
    site.answer(
      reply(
        status,
        Object.entries(sent).map(([name, value]) => `${name}: ${value}`),
        body,
      ),
    );
    const answer = await gateway.send(http('GET /external/x', [`Cookie: ${COOKIE}`]));
    expect(answer).toMatchObject({ status, body, headers: sent });
  }
});
