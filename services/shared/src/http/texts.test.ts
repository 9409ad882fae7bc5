import request from 'supertest';
import { z } from 'zod';
import { createLog } from '../observability/log.ts';
import { createHttpApp } from './app.ts';
import { ok, route } from './route.ts';

const routes = [20, 20_000].map((length) =>
  route({
    method: 'get',
    path: `/things/${length}`,
    identity: 'none',
    responses: { 200: { description: 'Things.', body: z.array(z.string()) } },
    handler: () => ok({ json: ['[', ...Array.from({ length }, (_, n) => `${n === 0 ? '' : ','}"tëst"`), ']'] }),
  }),
);
const app = createHttpApp({ title: 'Test', routes, log: createLog('test', 'silent'), config: { APP_PROFILE: 'dev' } });

it.each([20, 20_000])('a reply of %i texts is sent as one JSON text, with its length in bytes', async (length) => {
  const { body, headers } = await request(app).get(`/things/${length}`).expect(200);
  expect(body).toEqual(Array(length).fill('tëst'));
  const lengths = { 'content-type': 'application/json; charset=utf-8', 'content-length': `${8 * length + 1}` };
  expect(headers).toMatchObject(lengths);
  const head = await request(app).head(`/things/${length}`).expect(200);
  expect(head.headers).toMatchObject(lengths);
});
