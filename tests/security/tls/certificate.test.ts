import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { type Certificate, certificateFor, certificateUntil } from '../../kit/certificates.ts';
import { until } from '../../kit/until.ts';
import { COOKIE } from '../_fixture.ts';
import { handshake, name, openHttp2, startTls, type TlsFixture } from './_tls.ts';

const fingerprintOf = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

/** Sends requests one after another until it is stopped; each has to succeed. */
function keepAsking(send: () => Promise<number>) {
  let isStopped = false;
  const answers: Record<string, number> = {};
  const done = (async () => {
    while (!isStopped) {
      const answer = await send().catch((error: Error) => error.message);
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  })();
  return {
    answers,
    succeeded: () => answers['200'] ?? 0,
    stop: async () => {
      isStopped = true;
      await done;
    },
  };
}

const servedBy = async ({ httpsPort }: TlsFixture) =>
  (await handshake(httpsPort, { rejectUnauthorized: false })).fingerprint;

const ask = (port: number, agent: Agent) =>
  new Promise<number>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, rejectUnauthorized: false, path: '/accounts' };
    const sent = request({ ...options, headers: { host: name, cookie: COOKIE } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });

const dayMs = 86_400_000;
const daysLeftAt = async ({ metricsPort }: TlsFixture) => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const [, expiry] = /^envoy_listener_ssl_certificate_expiration_unix_time_seconds\{.*\} (\d+)$/m.exec(text) ?? [];
  return Math.floor((Number(expiry) * 1_000 - Date.now()) / dayMs);
};

const refusal =
  /(Failed to reload certificates|update rejected): Failed to load (certificate chain|(incomplete )?private key)/;

describe('a renewed certificate', () => {
  let fixture: TlsFixture;
  let first: Certificate;
  beforeEach(async () => {
    first = await certificateFor(name);
    fixture = await startTls(first);
  });
  afterEach(() => fixture?.stop());

  it('is served to new connections without a lost request on new and on kept ones', async () => {
    const renewed = await Promise.all([certificateFor(name), certificateFor(name), certificateFor(name)]);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const fresh = new Agent({ keepAlive: false });
    const session = openHttp2(fixture.httpsPort);
    const overHttp2 = () =>
      new Promise<number>((resolve, reject) => {
        const stream = session.request({ ':path': '/accounts', cookie: COOKIE });
        let status = 0;
        stream.on('response', (headers) => {
          status = headers[':status'] ?? 0;
        });
        stream.on('error', reject).on('end', () => resolve(status));
        stream.resume();
      });
    const load = [
      keepAsking(overHttp2),
      keepAsking(() => ask(fixture.httpsPort, kept)),
      ...[1, 2, 3].map(() => keepAsking(() => ask(fixture.httpsPort, fresh))),
    ];
    try {
      for (const certificate of renewed) {
        await fixture.mount(certificate);
        await until('it is served', async () => (await servedBy(fixture)) === fingerprintOf(certificate));
        const before = load.map(({ succeeded }) => succeeded());
        await until(
          () => `requests have been sent: ${JSON.stringify(load.map(({ answers }) => answers))}`,
          () => load.every(({ succeeded }, n) => succeeded() > (before[n] ?? 0) + 5),
        );
      }
    } finally {
      await Promise.all(load.map(({ stop }) => stop()));
      session.destroy();
      kept.destroy();
    }
    for (const { answers } of load) expect(Object.keys(answers)).toEqual(['200']);
  });

  it.each([
    ['that is no certificate', async () => ({ ...(await certificateFor(name)), cert: 'nonsense' })],
    [
      'whose key is that of another',
      async () => ({ ...(await certificateFor(name)), key: (await certificateFor(name)).key }),
    ],
    ['that is empty', async () => ({ cert: '', key: '' })],
  ])('%s is not taken: the one before stays, the log says why, and the next good one is served', async (_, broken) => {
    await fixture.mount(await broken());
    await until('the log says why', async () => refusal.test(await fixture.log()));
    expect(await servedBy(fixture)).toBe(fingerprintOf(first));
    const good = await certificateFor(name);
    await fixture.mount(good);
    await until('the good one is served', async () => (await servedBy(fixture)) === fingerprintOf(good));
  });
});

it('the metric of the alert on certificates is when the one that is served expires', async () => {
  const fixture = await startTls(await certificateUntil(new Date(Date.now() + 40.5 * dayMs), name));
  try {
    await until('it is told', async () => (await daysLeftAt(fixture)) === 40);
    await fixture.mount(await certificateUntil(new Date(Date.now() + 5.5 * dayMs), name));
    await until('it is told of the next one', async () => (await daysLeftAt(fixture)) === 5);
  } finally {
    await fixture.stop();
  }
});

// The startup probe of the chart asks over HTTPS, so that it gets no requests.
it('a gateway that starts with a broken certificate serves nothing and says why, until there is a good one', async () => {
  const fixture = await startTls({ cert: 'nonsense', key: 'nonsense' });
  try {
    await until('the log says why', async () => refusal.test(await fixture.log()));
    await expect(servedBy(fixture)).rejects.toThrow();
    const good = await certificateFor(name);
    await fixture.mount(good);
    await until('the good one is served', async () => (await servedBy(fixture)) === fingerprintOf(good));
  } finally {
    await fixture.stop();
  }
});
