import { connect } from 'node:net';
import { deferred } from '../../kit/deferred.ts';
import { until } from '../../kit/until.ts';
import { COOKIE, type Fixture, goodAuth, http, startUnlimited } from '../_fixture.ts';
import { sendHttp2 } from '../_raw.ts';
import { reply } from '../_upstream.ts';

const KIB = 1024;
const chunked = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

describe('a body that arrives while auth is asked', () => {
  let fixture: Fixture;
  let asked: ReturnType<typeof deferred>;
  beforeAll(async () => {
    fixture = await startUnlimited();
  });
  afterAll(() => fixture?.stop());
  beforeEach(() => {
    fixture.clear();
    asked = deferred();
    fixture.auth.answer(async (seen) => {
      await asked.promise;
      return goodAuth(seen);
    });
  });

  /** Sends the first bytes, and the others once auth has answered; resolves to the status. */
  async function upload(first: string, rest: string): Promise<number> {
    const socket = connect({ port: fixture.port, host: '127.0.0.1' });
    socket.on('error', () => undefined); // the loop below throws it
    try {
      socket.setTimeout(10_000, () => socket.destroy(new Error('nothing arrived within 10 s')));
      await new Promise((resolve) => socket.write(first, resolve));
      await until('auth has been asked', () => fixture.checks().length === 1, { timeoutMs: 10_000 });
      asked.resolve();
      socket.write(rest);
      for await (const data of socket) return Number(data.toString('latin1', 9, 12));
      throw new Error('the connection was closed without an answer');
    } finally {
      socket.destroy();
    }
  }

  it.each(
    ['PUT /accounts', 'POST /products', 'POST /orders'].flatMap((firstLine) =>
      [0.3, 0.6, 0.99].map((share) => ({ firstLine, share })),
    ),
  )('is read on: $firstLine, $share of it', async ({ firstLine, share }) => {
    const kib = { 'PUT /accounts': 8, 'POST /products': 16 }[firstLine] ?? 64;
    const bytes = Math.floor(kib * KIB * share);
    const rest = kib * KIB - bytes;
    const cookie = `Cookie: ${COOKIE}`;
    const withLength = http(firstLine, [cookie, `Content-Length: ${kib * KIB}`], 'x'.repeat(bytes));
    expect(await upload(withLength, 'x'.repeat(rest))).toBe(200);
    fixture.clear();
    asked = deferred();
    const inChunks = http(firstLine, [cookie, 'Transfer-Encoding: chunked'], chunked(bytes));
    expect(await upload(inChunks, `${chunked(rest)}0\r\n\r\n`)).toBe(200);
    expect(fixture.reached()).toHaveLength(1);
  });

  it.each([
    [150, 200],
    [256, 413],
  ])('is read on over HTTP/2 without a length: %i KiB are %i', async (kib, status) => {
    const request = { ':method': 'POST', ':path': '/orders', cookie: COOKIE };
    const answer = sendHttp2(fixture.port, request, { body: 'x'.repeat(kib * KIB) });
    await until('auth has been asked', () => fixture.checks().length === 1, { timeoutMs: 10_000 });
    asked.resolve();
    expect((await answer).status).toBe(status);
  });

  it('of a stranger is never waited for', async () => {
    fixture.auth.answer(reply(401));
    const stalled = http('POST /orders', [`Cookie: ${COOKIE}`, 'Content-Length: 65536'], 'x'.repeat(KIB));
    expect((await fixture.send(stalled)).status).toBe(401);
  });
});
