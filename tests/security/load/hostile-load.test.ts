import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { residentMib } from '../../../tools/bench/process-usage.ts';
import { describeWithProc } from '../../kit/linux.ts';
import { until } from '../../kit/until.ts';
import { COOKIE, type Fixture, http, startUnlimited } from '../_fixture.ts';
import { reply } from '../_upstream.ts';
import { askAsOther, flood, floodHttp2 } from './_flood.ts';

const KIB = 1024;
const token = [`Cookie: ${COOKIE}`];
const request = http('GET /accounts', token);

/** All bytes of a body but the last. */
const stalled = (firstLine: string, bytes: number, lines: string[] = []) =>
  http(firstLine, [...lines, `Content-Length: ${bytes}`], 'x'.repeat(bytes - 1));
const endlessHeaders = `GET / HTTP/1.1\r\nHost: x\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(15)}`;

/** The rate limits per address would stop most of this; memory must not depend on them. */
describeWithProc('memory under a flood stays below the limit of the pod, and another client is served:', () => {
  const limitMib = 512;
  let fixture: Fixture;
  let current: { stop(): void } | undefined;
  const plain = () => connectHttp2(`http://127.0.0.1:${fixture.port}`);
  beforeAll(async () => {
    fixture = await startUnlimited({ resources: { limits: { memory: `${limitMib}Mi` } } });
    fixture.services.product.answer(reply(200, [], 'x'.repeat(400 * KIB)));
  });
  afterEach(() => current?.stop());
  afterAll(() => fixture?.stop());

  /** @param withinMs more than 0 where memory becomes short: until answers that stand still have ended, others are refused */
  async function expectUnharmed(withinMs = 0): Promise<void> {
    const isServed = async () => (await askAsOther(fixture.port, request)) === 200;
    await until('another client is served', isServed, { timeoutMs: withinMs });
    const { peak } = await residentMib(fixture.pid());
    expect(peak).toBeLessThan(limitMib);
  }

  it.each([
    ['uploads of 1 MiB that stop one byte short', 2000, stalled('POST /auth/login', KIB * KIB)],
    ['uploads of all that auth takes but a byte', 2000, stalled('POST /auth/login', 8 * KIB)],
    [
      'uploads in chunks that never end',
      2000,
      `${http('POST /auth/login', ['Transfer-Encoding: chunked'])}1000\r\n${'x'.repeat(4 * KIB)}`,
    ],
    ['orders of 64 KiB that stop one byte short', 1000, stalled('POST /orders', 64 * KIB, token)],
    ['requests whose headers never end', 2000, endlessHeaders],
    ['connections that bring nothing', 5000, ''],
    ['connections that are idle after a request', 5000, http('GET /accounts')],
  ])('%s', async (_, count, bytes) => {
    const attack = await flood(fixture.port, count, bytes);
    current = attack;
    await until('the flood has been sent', attack.isSent);
    await expectUnharmed();
  });

  it('6,000 uploads of 64 KiB with a token that is none, of which each is refused before its body is kept', async () => {
    const upload = stalled('POST /orders', 64 * KIB, ['Cookie: __store_jwt_token=x']);
    const attack = await flood(fixture.port, 6000, upload, { addresses: 12 });
    current = attack;
    await until('the flood has been sent', attack.isSent);
    // Auth is in this process, which the flood keeps busy. While too many wait for it, a check is 503.
    await expectUnharmed(20_000);
    expect(attack.answers[401]).toBeGreaterThan(0);
    expect(Object.keys(attack.answers)).not.toContain('408');
    expect((await residentMib(fixture.pid())).peak).toBeLessThan(400);
  });

  it('answers that nobody reads', async () => {
    const unread = (count: number) =>
      flood(fixture.port, count, http('GET /products', token).repeat(3), { reads: false });
    const floods = [await unread(2000)];
    current = {
      stop() {
        for (const flood of floods) flood.stop();
      },
    };
    // While memory is short, the gateway refuses most of them.
    const isAsked = async () => {
      if (fixture.reached().length >= 1000) return true;
      floods.push(await unread(200));
      return false;
    };
    await until('the product service has been asked', isAsked, { timeoutMs: 100_000, intervalMs: 2_000 });
    await expectUnharmed(20_000);
  });

  /** Asks for answers that nobody reads, at least as often as Envoy has connections by default; some may be refused. */
  async function floodUnread(path: string, further: Record<string, string> = {}): Promise<void> {
    const unread = () => connectHttp2(`http://127.0.0.1:${fixture.port}`, { settings: { initialWindowSize: 0 } });
    const headers = { ':method': 'GET', ':path': path, cookie: COOKIE, ...further };
    const asked = () => fixture.reached().filter((request) => request.path === path).length;
    const floods = [await floodHttp2(unread, { sessions: 13, streams: 100 }, headers, '')];
    current = {
      stop() {
        for (const flood of floods) flood.stop();
      },
    };
    const isAsked = async () => {
      if (asked() > 1100) return true;
      floods.push(await floodHttp2(unread, { sessions: 1, streams: 100 }, headers, ''));
      return false;
    };
    await until(() => `the service has been asked, so far ${asked()} times`, isAsked, { intervalMs: 2_000 });
  }

  it('1,300 answers over HTTP/2 that are compressed and that nobody reads', async () => {
    const list = reply(200, ['content-type: application/json'], randomBytes(200 * KIB).toString('hex'));
    fixture.services.status.answer(list);
    await floodUnread('/api/v1/status/', { 'accept-encoding': 'gzip' });
    await expectUnharmed(20_000);
  });

  it('1,300 answers over HTTP/2 that nobody reads, of the service that the other client asks', async () => {
    await floodUnread('/products?size=1000');
    expect(await askAsOther(fixture.port, http('GET /products', token))).toBe(200);
    await expectUnharmed();
  });

  it('HTTP/2 streams that stop one byte short', async () => {
    const headers = { ':method': 'POST', ':path': '/auth/login', 'content-length': String(8 * KIB) };
    current = await floodHttp2(plain, { sessions: 60, streams: 100 }, headers, 'x'.repeat(8 * KIB - 1));
    await expectUnharmed();
  });

  it('HTTP/2 streams that are reset at once, until their connections are closed', async () => {
    const headers = { ':method': 'GET', ':path': '/accounts', cookie: COOKIE };
    const attack = await floodHttp2(plain, { sessions: 10, streams: 2000, resets: true }, headers, '');
    current = attack;
    await until('the connections are closed', () => attack.closed() === 10);
    await expectUnharmed();
  });
});

describe('10,050 connections of one address', () => {
  it('that bring nothing are closed soon, and another client can connect meanwhile', async () => {
    const fixture = await startUnlimited();
    const attack = await flood(fixture.port, 10_050, '');
    try {
      expect(await askAsOther(fixture.port, request)).toBe(200);
      await until('they are closed', () => attack.closed() === 10_050, { timeoutMs: 30_000 });
    } finally {
      attack.stop();
      await fixture.stop();
    }
  });

  it('that are idle after a request are closed as memory runs short, and another client can connect meanwhile', async () => {
    const fixture = await startUnlimited({
      resources: { limits: { memory: '192Mi' } },
      timeouts: { clientIdle: 3600 },
    });
    const attack = await flood(fixture.port, 10_050, http('GET /accounts'));
    try {
      // While memory is short for a moment, it may get a 503, or its connection may be closed.
      const isServed = async () => (await askAsOther(fixture.port, request)) === 200;
      await until('another client is served', isServed, { timeoutMs: 10_000 });
      await until('most of them are closed', () => attack.closed() > 5_000);
      await until('another client is served again', isServed, { timeoutMs: 10_000 });
    } finally {
      attack.stop();
      await fixture.stop();
    }
  });
});
