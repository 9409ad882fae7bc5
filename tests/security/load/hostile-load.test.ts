import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { residentMib } from '../../../tools/bench/process-usage.ts';
import { describeWithProc } from '../../kit/linux.ts';
import { until } from '../../kit/until.ts';
import { COOKIE, expectProblem, type Gateway, http, useGateway, withGateway } from '../_fixture.ts';
import { reply } from '../_upstream.ts';
import { askAsOther, flood, floodHttp2 } from './_flood.ts';

const KIB = 1024;
const token = [`Cookie: ${COOKIE}`];

const isServed = async ({ port }: Gateway) => (await askAsOther(port, http('GET /accounts', token))) === 200;

/** All bytes of a body except the last. */
const stalled = (firstLine: string, bytes: number, lines: string[] = []) =>
  http(firstLine, [...lines, `Content-Length: ${bytes}`], 'x'.repeat(bytes - 1));
const endlessChunks = `${http('POST /auth/login', ['Transfer-Encoding: chunked'])}1000\r\n${'x'.repeat(4 * KIB)}`;
const endlessHeaders = `GET / HTTP/1.1\r\nHost: x\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(15)}`;

/** Rate limits per address would stop most of these floods, but memory must not depend on them. */
describeWithProc('memory under a flood stays below the limit of the pod, and another client is served:', () => {
  const limitMib = 512;
  const gateway = useGateway({ resources: { limits: { memory: `${limitMib}Mi` } } });
  const floods: { stop(): void }[] = [];
  beforeEach(() => gateway.services.product.answer(reply(200, [], 'x'.repeat(400 * KIB))));
  afterEach(() => {
    for (const one of floods.splice(0)) one.stop();
  });

  function keep<T extends { stop(): void }>(started: T): T {
    floods.push(started);
    return started;
  }

  /** Waits, because others are refused while memory is short, until stalled answers have ended, and while auth, in this process, is busy. */
  async function expectUnharmed(): Promise<void> {
    await until('another client is served', () => isServed(gateway), { timeoutMs: 60_000 });
    expect((await residentMib(gateway.pid())).peak).toBeLessThan(limitMib);
  }

  it.each([
    ['uploads of 1 MiB that stop one byte short', 2000, stalled('POST /auth/login', KIB * KIB)],
    ['uploads of the size that auth accepts, less one byte', 2000, stalled('POST /auth/login', 8 * KIB)],
    ['chunked uploads that never end', 2000, endlessChunks],
    ['orders of 64 KiB that stop one byte short', 1000, stalled('POST /orders', 64 * KIB, token)],
    ['requests whose headers never end', 2000, endlessHeaders],
    ['connections that send nothing', 5000, ''],
    ['connections that are idle after a request', 5000, http('GET /accounts')],
  ])('%s', async (_, count, bytes) => {
    const attack = keep(await flood(gateway.port, count, bytes));
    await until('the flood has been sent', attack.isSent);
    await expectUnharmed();
  });

  it('6,000 uploads of 64 KiB with an invalid token, each of which is refused before its body is buffered', async () => {
    const upload = stalled('POST /orders', 64 * KIB, ['Cookie: __store_jwt_token=x']);
    const attack = keep(await flood(gateway.port, 6000, upload, { addresses: 12 }));
    await until('the flood has been sent', attack.isSent);
    await expectUnharmed();
    expect(attack.answers[401]).toBeGreaterThan(0);
    expect(attack.answers).not.toHaveProperty('408');
    expect((await residentMib(gateway.pid())).peak).toBeLessThan(400);
  });

  /** Floods until a path was requested this many times. While memory is short, the gateway refuses most requests. */
  async function floodUntil(path: string, times: number, start: (isFirst: boolean) => Promise<{ stop(): void }>) {
    const asked = () => gateway.reached().filter((request) => request.path === path).length;
    keep(await start(true));
    const isAsked = async () => {
      if (asked() < times) keep(await start(false));
      return asked() >= times;
    };
    const waiting = { timeoutMs: 100_000, intervalMs: 2_000 };
    await until(() => `the service has been asked, so far ${asked()} times`, isAsked, waiting);
  }

  it('unread answers', async () => {
    const requests = http('GET /products', token).repeat(3);
    await floodUntil('/products', 1000, (isFirst) =>
      flood(gateway.port, isFirst ? 2000 : 200, requests, { reads: false }),
    );
    await expectUnharmed();
  });

  /** Requests answers without reading them, at least as many as Envoy has connections by default. */
  const floodUnread = (path: string, further: Record<string, string> = {}) =>
    floodUntil(path, 1100, (isFirst) => {
      const settings = { initialWindowSize: 0 };
      const headers = { ':method': 'GET', ':path': path, cookie: COOKIE, ...further };
      const open = () => connectHttp2(`http://127.0.0.1:${gateway.port}`, { settings });
      return floodHttp2(open, { sessions: isFirst ? 13 : 1, streams: 100 }, headers);
    });

  it('1,300 unread compressed answers over HTTP/2', async () => {
    const list = reply(200, ['content-type: application/json'], randomBytes(200 * KIB).toString('hex'));
    gateway.services.status.answer(list);
    await floodUnread('/api/v1/status/', { 'accept-encoding': 'gzip' });
    await expectUnharmed();
  });

  it('1,300 unread answers over HTTP/2 from the service that the other client uses', async () => {
    await floodUnread('/products?size=1000');
    expect(await askAsOther(gateway.port, http('GET /products', token))).toBe(200);
    await expectUnharmed();
  });

  const plain = () => connectHttp2(`http://127.0.0.1:${gateway.port}`);

  it('HTTP/2 streams that stop one byte short', async () => {
    const headers = { ':method': 'POST', ':path': '/auth/login', 'content-length': String(8 * KIB) };
    keep(await floodHttp2(plain, { sessions: 60, streams: 100 }, headers, 'x'.repeat(8 * KIB - 1)));
    await expectUnharmed();
  });

  it('HTTP/2 streams that are reset at once, until their connections are closed', async () => {
    const headers = { ':method': 'GET', ':path': '/accounts', cookie: COOKIE };
    const attack = keep(await floodHttp2(plain, { sessions: 10, streams: 2000, resets: true }, headers));
    await until('the connections are closed', () => attack.closed() === 10);
    await expectUnharmed();
  });
});

describe('10,050 connections from one address', () => {
  it('that send nothing are closed soon, and another client can connect meanwhile', () =>
    withGateway({}, async (gateway) => {
      const attack = await flood(gateway.port, 10_050, '');
      expect(await isServed(gateway)).toBe(true);
      await until('they are closed', () => attack.closed() === 10_050, { timeoutMs: 30_000 });
    }));

  it('that are idle after a request are closed as memory runs short, and another client can connect meanwhile', () => {
    const values = { resources: { limits: { memory: '192Mi' } }, timeouts: { clientIdle: 3600 } };
    return withGateway(values, async (gateway) => {
      const attack = await flood(gateway.port, 10_050, http('GET /accounts'));
      // While memory is briefly short, the client may get a 503 or lose its connection.
      const waiting = { timeoutMs: 10_000 };
      await until('another client is served', () => isServed(gateway), waiting);
      await until('most of them are closed', () => attack.closed() > 5_000);
      await until('another client is served again', () => isServed(gateway), waiting);
    });
  });
});

it('the gateway answers 503 with Retry-After while memory is short, and the metrics port still responds', () => {
  const values = { resources: { limits: { memory: '32Mi' } }, timeouts: { requestHeaders: 3600 } };
  return withGateway(values, async (gateway) => {
    let answer = await gateway.ask('GET /');
    expect(answer.status).toBe(200);
    const isShort = async () => {
      await flood(gateway.port, 32, endlessHeaders);
      answer = await gateway.ask('GET /');
      return answer.status !== 200;
    };
    await until('memory is short', isShort, { intervalMs: 100 });
    expectProblem(answer, 503, { detail: 'The gateway is overloaded at the moment. Try again shortly.' });
    expect(answer.headers['retry-after']).toBe('2');
    expect((await fetch(`http://127.0.0.1:${gateway.metricsPort}/ready`)).status).toBe(200);
  });
});
