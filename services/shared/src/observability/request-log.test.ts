import request from 'supertest';
import { createHttpApp } from '../http/app.ts';
import { route } from '../http/route.ts';
import { unavailable } from '../values/errors.ts';
import { createLog } from './log.ts';

function failing(path: string, error: Error) {
  const responses = { 503: { description: 'A dependency is unavailable.' } };
  return route({ method: 'get', path, identity: 'none', responses, handler: () => Promise.reject(error) });
}

it.each(['nothing', 'bug', 'away'])(
  'a path of 15 KiB is logged with its first 2 KiB and without its query: /%s',
  async (name) => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line) => lines.push(line) });
    const routes = [failing('/bug/{id}', new Error('a bug')), failing('/away/{id}', unavailable('the database'))];
    const app = createHttpApp({ title: 'Test', routes, log, config: { APP_PROFILE: 'prod' } });
    await request(app).get(`/${name}/${'x'.repeat(15 * 1024)}?secret=1`);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.length).toBeLessThan(8192);
      expect(line).not.toContain('secret');
    }
    expect(lines.at(-1)).toContain(`"path":"/${name}/${'x'.repeat(2048 - name.length - 2)}"`);
  },
);
