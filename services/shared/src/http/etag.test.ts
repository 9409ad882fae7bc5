import request from 'supertest';
import { z } from 'zod';
import { createLog } from '../observability/log.ts';
import { createHttpApp } from './app.ts';
import { openApiDocument } from './openapi.ts';
import { ok, route } from './route.ts';

const routes = [
  route({
    method: 'get',
    path: '/thing',
    operationId: 'getThing',
    summary: 'Read',
    tag: 'test',
    identity: 'none',
    responses: { 200: { description: 'It.', body: z.string(), headers: { ETag: 'Of the thing.' } } },
    handler: () => ok({ json: Buffer.from('"tëst"') }, { ETag: '"one"', 'Cache-Control': 'no-cache' }),
  }),
];
const app = createHttpApp({ title: 'Test', routes, log: createLog('test', 'silent'), config: { APP_PROFILE: 'dev' } });
const ask = (headers: Record<string, string>, method: 'get' | 'head' = 'get') =>
  request(app)[method]('/thing').set(headers);

// Lists of tags are in precondition.test.ts.
describe('a reply with an ETag', () => {
  it('is sent in full to a client without a condition', async () => {
    const { status, headers, body } = await ask({});
    expect([status, body]).toEqual([200, 'tëst']);
    const type = 'application/json; charset=utf-8';
    expect(headers).toMatchObject({ 'content-type': type, 'content-length': '7', etag: '"one"' });
  });

  it.each(['"one"', 'W/"one"'])('is 304 without a body to a client that has %s', async (tag) => {
    for (const method of ['get', 'head'] as const) {
      const { status, text, headers } = await ask({ 'If-None-Match': tag }, method);
      expect({ status, text: text ?? '' }).toEqual({ status: 304, text: '' });
      expect(headers).toMatchObject({ etag: tag.startsWith('W/') ? tag : '"one"', 'cache-control': 'no-cache' });
      expect(headers).not.toHaveProperty('content-type');
    }
  });

  it('is sent to a client that has another ETag', async () => {
    expect((await ask({ 'If-None-Match': '"two"' })).status).toBe(200);
  });

  it('is 304 to fetch, which sends no-cache with the condition', async () => {
    expect((await ask({ 'If-None-Match': '"one"', 'Cache-Control': 'no-cache' })).status).toBe(304);
  });

  it('is documented with its condition', () => {
    const { get } = openApiDocument('Test', routes).paths['/thing'] as { get: Record<string, object> };
    expect(get.parameters).toEqual([expect.objectContaining({ name: 'If-None-Match', in: 'header', required: false })]);
    expect(Object.keys(get.responses ?? {})).toEqual(['200', '304', '503', 'default']);
  });
});
