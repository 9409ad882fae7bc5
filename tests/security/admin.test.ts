import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { renderGateway } from '../../tools/local/components/gateway.ts';
import { withGateway } from './_fixture.ts';

it('in the local run no page in a browser can end Envoy: no port of it takes such a POST', () =>
  withGateway({}, async (gateway) => {
    const { stdout } = await execa('ss', ['-Hltnp']);
    const own = stdout.split('\n').filter((line) => line.includes(`pid=${gateway.pid()},`));
    const ports = own.map((line) => Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]));
    expect(ports).toEqual(expect.arrayContaining([gateway.port, gateway.metricsPort]));
    const headers = { origin: 'http://evil.test', 'content-type': 'text/plain' };
    for (const port of ports) {
      for (const path of ['/quitquitquit', '/healthcheck/fail', '/logging?level=trace', '/config_dump']) {
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers });
        expect([403, 404]).toContain(status);
      }
    }
    const socketPath = gateway.adminSocket;
    const [response] = await once(request({ socketPath, path: '/ready' }).end(), 'response');
    expect(await text(response)).toBe('LIVE\n');
  }));

it('in the pod drain.sh reaches the admin interface by its port: the gateway is not ready then, and answers still', async () => {
  const adminPort = await freePort();
  await withGateway({ adminSocket: '', adminPort }, async ({ port, metricsPort }) => {
    const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/ready`)).status;
    expect(await ready()).toBe(200);
    const { 'drain.sh': script } = await renderGateway({ adminPort, drainSeconds: 0 });
    await execa('bash', ['-c', script]);
    expect(await ready()).toBe(503);
    const answer = await fetch(`http://127.0.0.1:${port}/health-check`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });
});
