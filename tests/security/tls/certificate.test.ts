import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { type Certificate, certificateFor, certificateUntil } from '../../kit/certificates.ts';
import { until } from '../../kit/until.ts';
import { COOKIE, type Gateway, useGateway, withGateway } from '../_fixture.ts';
import { handshake, name, openHttp2, sendHttps } from './_tls.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const [first, other] = await Promise.all([certificateUntil(inDays(40.5), name), certificateFor(name)]);
const gateway = useGateway({}, first);

/** Sends requests one after another until stopped, and counts the answers. */
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

async function expectServed({ cert }: Certificate, on: Gateway = gateway): Promise<void> {
  const { fingerprint256 } = new X509Certificate(cert);
  await until('the certificate is served', async () => (await servedBy(on)) === fingerprint256);
}

async function countRefusals(on: Gateway): Promise<number> {
  const refusal =
    /(Failed to reload certificates|update rejected): Failed to load (certificate chain|(incomplete )?private key)/g;
  return (await on.log()).match(refusal)?.length ?? 0;
}

// Must be the first test, because it needs the gateway's initial certificate.
describe('the metric behind the alert on certificates', () => {
  it('is the expiry of the served certificate', async () => {
    const daysLeft = async () => {
      const metric = /^envoy_listener_ssl_certificate_expiration_unix_time_seconds\{.*\} (\d+)$/m;
      const [, expiry] = metric.exec(await gateway.metrics()) ?? [];
      return Math.floor((Number(expiry) * 1_000 - Date.now()) / 86_400_000);
    };
    await until('the metric has it', async () => (await daysLeft()) === 40);
    await gateway.mount(await certificateUntil(inDays(5.5), name));
    await until('the metric has the next expiry', async () => (await daysLeft()) === 5);
  });
});

describe('a renewed certificate', () => {
  it('is served to new connections without a lost request on new and kept-alive connections', async () => {
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
        await expectServed(renewed);
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

describe('a broken certificate is not used, and the log says why:', () => {
  it.each([
    ['no certificate', { ...first, cert: 'nonsense' }],
    ['with the key of another certificate', { ...first, key: other.key }],
    ['empty', { cert: '', key: '' }],
  ])('%s, so that the previous one stays until the next good one', async (_, broken) => {
    const [before, refusals] = [await servedBy(gateway), await countRefusals(gateway)];
    await gateway.mount(broken);
    await until('the log says why', async () => (await countRefusals(gateway)) > refusals);
    expect(await servedBy(gateway)).toBe(before);
    const good = await certificateFor(name);
    await gateway.mount(good);
    await expectServed(good);
  });

  // The chart's startup probe uses HTTPS, so such a pod gets no requests.
  it('the first certificate, so that nothing is served until there is a good one', () => {
    const replace = async (without: Gateway) => {
      await until('the log says why', async () => (await countRefusals(without)) > 0);
      await expect(servedBy(without)).rejects.toThrow();
      await without.mount(first);
      await expectServed(first, without);
    };
    return withGateway({}, replace, { cert: 'nonsense', key: 'nonsense' });
  });
});
