import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../kit/until.ts';
import { COOKIE, type Fixture, startUnlimited } from '../_fixture.ts';
import { reply } from '../_upstream.ts';
import { floodHttp2 } from './_flood.ts';

const KIB = 1024;
const headers = { ':method': 'GET', ':path': '/products?size=1000', cookie: COOKIE };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());

const open = (initialWindowSize: number) =>
  connect(`http://127.0.0.1:${fixture.port}`, { settings: { initialWindowSize } });

/** @returns connections to the product service that are in use */
async function inUse(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${fixture.metricsPort}/metrics`)).text();
  return Number(/^envoy_cluster_upstream_rq_active\{envoy_cluster_name="product"\} (\d+)$/m.exec(text)?.[1]);
}

it('answers that nobody reads give their connections to the service back within seconds', async () => {
  fixture.services.product.answer(reply(200, [], 'x'.repeat(400 * KIB)));
  const attack = await floodHttp2(() => open(0), { sessions: 2, streams: 100 }, headers, '');
  try {
    await until('they occupy connections', async () => (await inUse()) === 200);
    const since = performance.now();
    await until('no connection is in use', async () => (await inUse()) === 0, { timeoutMs: 30_000 });
    expect(performance.now() - since).toBeLessThan(12_000);
  } finally {
    attack.stop();
  }
});

it('a slow reader gets the whole answer', async () => {
  fixture.services.product.answer(reply(200, [], 'x'.repeat(96 * KIB)));
  const session: ClientHttp2Session = open(16 * KIB);
  try {
    const stream = session.request(headers);
    let [received, next] = [0, 16 * KIB];
    const since = performance.now();
    for await (const chunk of stream) {
      received += chunk.length;
      for (; received >= next; next += 16 * KIB) await wait(2_000);
    }
    expect(received).toBe(96 * KIB);
    // It was slow, indeed: longer than one that stands still may be.
    expect(performance.now() - since).toBeGreaterThan(9_000);
  } finally {
    session.destroy();
  }
});
