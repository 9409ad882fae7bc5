import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { type Certificate, certificateFor, certificateUntil } from '../../kit/certificates.ts';
import { until } from '../../kit/until.ts';
import { COOKIE, type Gateway, useGateway, withGateway } from '../_fixture.ts';
import { handshake, name, openHttp2, sendHttps } from './_tls.ts';

const [first, second, good] = await Promise.all([certificateFor(name), certificateFor(name), certificateFor(name)]);
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

/** Sends requests one after another until it is stopped, and counts the answers. */
function keepAsking(send: () => Promise<unknown>) {
  let isStopped = false;
  const answers: Record<string, number> = {};
  const done = (async () => {
    while (!isStopped) {
      const answer = String(await send().catch((error: Error) => error.message));
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  })();
  return {
    answers,
    stop() {
      isStopped = true;
      return done;
    },
  };
}

const servedBy = async ({ httpsPort }: Gateway) =>
  (await handshake(httpsPort, { rejectUnauthorized: false })).fingerprint;

async function expectServed(gateway: Gateway, { cert }: Certificate): Promise<void> {
  const { fingerprint256 } = new X509Certificate(cert);
  await until('it is served', async () => (await servedBy(gateway)) === fingerprint256);
}

const refusal =
  /(Failed to reload certificates|update rejected): Failed to load (certificate chain|(incomplete )?private key)/;
const expectRefusal = (gateway: Gateway) => until('the log says why', async () => refusal.test(await gateway.log()));

describe('a renewed certificate', () => {
  const gateway = useGateway({}, first);

  it('is served to new connections without a lost request on new and on kept ones', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const session = openHttp2(gateway.httpsPort);
    const ask = async (agent?: Agent) =>
      (await sendHttps(gateway.httpsPort, { agent, path: '/accounts', headers: { cookie: COOKIE } })).status;
    const overHttp2 = async () => {
      const stream = session.request({ ':path': '/accounts', cookie: COOKIE });
      const [headers] = await once(stream, 'response');
      await buffer(stream);
      return headers[':status'];
    };
    const load = [overHttp2, () => ask(kept), ask, ask, ask].map((send) => keepAsking(() => send()));
    try {
      for (let n = 0; n < 3; n += 1) {
        const renewed = await certificateFor(name);
        await gateway.mount(renewed);
        await expectServed(gateway, renewed);
        const counts = () => load.map(({ answers }) => answers['200'] ?? 0);
        const before = counts();
        await until(
          () => `requests have been sent: ${JSON.stringify(load)}`,
          () => counts().every((count, index) => count > (before[index] ?? 0) + 5),
        );
      }
    } finally {
      await Promise.all(load.map(({ stop }) => stop()));
      session.destroy();
      kept.destroy();
    }
    for (const { answers } of load) expect(Object.keys(answers)).toEqual(['200']);
  });
});

describe('a broken certificate is not taken, and the log says why:', () => {
  it.each([
    ['no certificate', { ...good, cert: 'nonsense' }],
    ['with the key of another', { ...good, key: second.key }],
    ['empty', { cert: '', key: '' }],
  ])('%s, where the one before stays, and the next good one is served', (_, broken) => {
    const replaceTwice = async (gateway: Gateway) => {
      await gateway.mount(broken);
      await expectRefusal(gateway);
      await expectServed(gateway, first);
      await gateway.mount(good);
      await expectServed(gateway, good);
    };
    return withGateway({}, replaceTwice, first);
  });

  // The startup probe of the chart asks over HTTPS, so that it gets no requests.
  it('the first one, where nothing is served until there is a good one', () => {
    const replace = async (gateway: Gateway) => {
      await expectRefusal(gateway);
      await expect(servedBy(gateway)).rejects.toThrow();
      await gateway.mount(good);
      await expectServed(gateway, good);
    };
    return withGateway({}, replace, { cert: 'nonsense', key: 'nonsense' });
  });
});

const early = await certificateUntil(inDays(40.5), name);

describe('the metric of the alert on certificates', () => {
  const gateway = useGateway({}, early);

  it('is when the one that is served expires', async () => {
    const daysLeft = async () => {
      const metric = /^envoy_listener_ssl_certificate_expiration_unix_time_seconds\{.*\} (\d+)$/m;
      const [, expiry] = metric.exec(await gateway.metrics()) ?? [];
      return Math.floor((Number(expiry) * 1_000 - Date.now()) / 86_400_000);
    };
    await until('it is told', async () => (await daysLeft()) === 40);
    await gateway.mount(await certificateUntil(inDays(5.5), name));
    await until('it is told of the next one', async () => (await daysLeft()) === 5);
  });
});
