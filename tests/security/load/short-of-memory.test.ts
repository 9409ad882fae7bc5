import { until } from '../../kit/until.ts';
import { http, startFixture } from '../_fixture.ts';
import { type Flood, flood } from './_flood.ts';

test('503 with Retry-After is the answer while memory is short, and the metrics port still responds', async () => {
  const fixture = await startFixture({ resources: { limits: { memory: '32Mi' } }, timeouts: { requestHeaders: 3600 } });
  const unfinished = `GET / HTTP/1.1\r\nHost: x\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(15)}`;
  const floods: Flood[] = [];
  try {
    let response = await fixture.send(http('GET /'));
    expect(response.status).toBe(200);
    const isShort = async () => {
      floods.push(await flood(fixture.port, 32, unfinished));
      response = await fixture.send(http('GET /'));
      return response.status !== 200;
    };
    await until('memory is short', isShort, { intervalMs: 100 });
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    expect(JSON.parse(response.body).detail).toBe('The gateway is overloaded at the moment. Try again shortly.');
    expect((await fetch(`http://127.0.0.1:${fixture.metricsPort}/ready`)).status).toBe(200);
  } finally {
    for (const { stop } of floods) stop();
    await fixture.stop();
  }
});
