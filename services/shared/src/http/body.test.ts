import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import request from 'supertest';
import { z } from 'zod';
import { createLog } from '../observability/log.ts';
import { stringifyJson } from '../values/json.ts';
import { createHttpApp } from './app.ts';
import { ok, route } from './route.ts';

const echo = (path: string, limits: { bodyKib?: number; decimals?: boolean }) =>
  route({
    method: 'post',
    path,
    identity: 'none',
    ...limits,
    body: z.unknown(),
    responses: { 200: { description: 'The body.', body: z.unknown() } },
    handler: ({ body }) => ok({ json: stringifyJson(body) }),
  });
const routes = [echo('/plain', {}), echo('/large', { bodyKib: 64 }), echo('/decimals', { decimals: true })];
const app = createHttpApp({ title: 'Test', routes, log: createLog('test', 'silent'), config: { APP_PROFILE: 'prod' } });
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  request(app)
    .post(path)
    .set({ 'Content-Type': 'application/json', ...headers })
    .serialize((bytes) => bytes)
    .send(body);
const ofKib = (kib: number) => `{}${' '.repeat(kib * 1024 - 2)}`;

describe('body', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('compressed by %s is 415', async (encoding, compress) => {
    const { status, body } = await post('/plain', compress('{}'), { 'Content-Encoding': encoding });
    expect([status, body.detail]).toEqual([415, 'Send the body uncompressed and in UTF-8.']);
  });

  it.each([
    ['/plain', 8],
    ['/large', 64],
  ])('of %s may have %i KiB but not a byte more', async (path, kib) => {
    await post(path, ofKib(kib)).expect(200);
    const { status, body } = await post(path, `${ofKib(kib)} `);
    expect({ status, detail: body.detail }).toEqual({ status: 413, detail: `The body is larger than ${kib} KiB.` });
  });

  it('is refused if it is nested deeper than 20 levels', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    await post('/plain', nested(20)).expect(200);
    const { status, body } = await post('/plain', nested(21));
    expect([status, body.detail]).toEqual([400, 'The body is nested deeper than 20 levels.']);
  });

  it('is refused if it holds more than 1000 values; characters in strings do not count', async () => {
    const ones = (count: number) => `["\\"[,{",${Array.from({ length: count - 2 }, () => 1).join()}]`;
    await post('/plain', ones(1000)).expect(200);
    const { status, body } = await post('/plain', ones(1001));
    expect({ status, detail: body.detail }).toEqual({ status: 400, detail: 'The body holds more than 1000 values.' });
  });

  it('keeps the digits of its numbers if the route reads decimals', async () => {
    const digits = '[0.12345678901234567891]';
    expect((await post('/decimals', digits)).text).toBe(digits);
    expect((await post('/plain', digits)).text).toBe('[0.12345678901234568]');
  });

  const inflating = gzipSync(`[1234567890.12345678901${',1'.repeat(500_000)}]`);
  it.each<[string, string | Buffer, Record<string, string>]>([
    ['that would inflate to 1 MiB', inflating, { 'Content-Encoding': 'gzip' }],
    ['of long numbers', `[${Array.from({ length: 340 }, () => '1234567890.123456789012').join()}]`, {}],
    ['of one long number', `[${'1'.repeat(8_000)}]`, {}],
    ['of a text', `["${'x'.repeat(8_000)}",1234567890.12345678901]`, {}],
    ['of escapes', `["${'\\u00e4'.repeat(1_300)}",1234567890.12345678901]`, {}],
    ['of white space', `[1234567890.12345678901${' '.repeat(8_000)}]`, {}],
  ])('%s costs at most four times the CPU of a small one', async (_, body, headers) => {
    /** CPU time of this thread alone: tests share a process. */
    const cpuOf = async (sent: string | Buffer) => {
      const before = process.threadCpuUsage();
      for (let n = 0; n < 20; n += 1) await post('/decimals', sent, headers);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    // In turns, and the cheapest of six, since compilation and garbage collection also count. Includes the client's share.
    const small: number[] = [];
    const hostile: number[] = [];
    for (let batch = 0; batch < 6; batch += 1) {
      small.push(await cpuOf('[1]'));
      hostile.push(await cpuOf(body));
    }
    expect(Math.min(...hostile) / Math.min(...small)).toBeLessThan(4);
  });
});
