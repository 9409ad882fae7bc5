import { connect } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../kit/until.ts';
import { COOKIE, goodAuth, http, useGateway } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { reply } from '../_upstream.ts';
import { askAsOther, floodHttp2 } from './_flood.ts';

const KIB = 1024;
const gateway = useGateway();

describe('a body that arrives during the token check', () => {
  let asked: PromiseWithResolvers<void>;
  beforeEach(() => {
    asked = Promise.withResolvers<void>();
    gateway.auth.answer(async (seen) => {
      await asked.promise;
      return goodAuth(seen);
    });
  });

  async function answerCheck(): Promise<void> {
    await until('auth has been asked', () => gateway.checks().length === 1, { timeoutMs: 10_000 });
    asked.resolve();
  }
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

  describe.each([
    ['PUT /accounts', 8],
    ['POST /products', 16],
    ['POST /orders', 64],
  ])('is read to the end: %s of %i KiB', (firstLine, kib) => {
    it.each([0.3, 0.6, 0.99])('%d of it before the answer of auth', async (share) => {
      const first = Math.floor(kib * KIB * share);
      const rest = kib * KIB - first;
      for (const [header, begin, end] of [
        [`Content-Length: ${kib * KIB}`, 'x'.repeat(first), 'x'.repeat(rest)],
        ['Transfer-Encoding: chunked', chunk(first), `${chunk(rest)}0\r\n\r\n`],
      ] as const) {
        gateway.clear();
        asked = Promise.withResolvers<void>();
        const sendRest = () => answerCheck().then(() => end);
        const request = http(firstLine, [`Cookie: ${COOKIE}`, header], begin);
        expect(await askAsOther(gateway.port, request, sendRest)).toBe(200);
        expect(gateway.reached()).toHaveLength(1);
      }
    });
  });

  it.each([
    [150, 200],
    [256, 413],
  ])('is read to the end over HTTP/2 without a length: %i KiB are %i', async (kib, status) => {
    const request = { ':method': 'POST', ':path': '/orders', cookie: COOKIE };
    const answer = sendHttp2(gateway.port, request, { body: 'x'.repeat(kib * KIB) });
    await answerCheck();
    expect((await answer).status).toBe(status);
  });

  it('with an invalid token is not waited for', async () => {
    gateway.auth.answer(reply(401));
    expect((await gateway.askAsCustomer('POST /orders', ['Content-Length: 65536'], 'x'.repeat(KIB))).status).toBe(401);
  });
});

describe('an answer', () => {
  const headers = { ':method': 'GET', ':path': '/products?size=1000', cookie: COOKIE };
  const open = (initialWindowSize: number) =>
    connect(`http://127.0.0.1:${gateway.port}`, { settings: { initialWindowSize } });

  it('that is not read releases its connection to the service within seconds', async () => {
    gateway.services.product.answer(reply(200, [], 'x'.repeat(400 * KIB)));
    const read = async (name: 'active' | 'total') => {
      const metric = new RegExp(`^envoy_cluster_upstream_rq_${name}\\{envoy_cluster_name="product"\\} (\\d+)$`, 'm');
      return Number(metric.exec(await gateway.metrics())?.[1]);
    };
    const before = await read('total');
    const attack = await floodHttp2(() => open(0), { sessions: 2, streams: 100 }, headers);
    try {
      // On a busy machine the first connections are released before the last requests arrive, and the gateway answers many by itself.
      await until('some have had a connection', async () => (await read('total')) >= before + 10);
      await until('no connection is in use', async () => (await read('active')) === 0, { timeoutMs: 40_000 });
    } finally {
      attack.stop();
    }
  });

  it('reaches a slow reader completely', async () => {
    gateway.services.product.answer(reply(200, [], 'x'.repeat(96 * KIB)));
    const session = open(16 * KIB);
    try {
      let [received, next] = [0, 16 * KIB];
      const since = performance.now();
      for await (const chunk of session.request(headers)) {
        received += chunk.length;
        for (; received >= next; next += 16 * KIB) await wait(2_000);
      }
      expect(received).toBe(96 * KIB);
      // The reader took longer than the gateway waits for a reader that has stopped.
      expect(performance.now() - since).toBeGreaterThan(9_000);
    } finally {
      session.destroy();
    }
  });
});
