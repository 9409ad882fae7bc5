import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { adminSocketIn } from './components/gateway.ts';
import { checkPorts, fixedPorts } from './ports.ts';

it('names who wants a port that is in use, and the variable that changes it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const GATEWAY_PORT = String((server.address() as AddressInfo).port);
    await expect(checkPorts(fixedPorts({ GATEWAY_PORT }), ['gateway'])).rejects.toThrow(
      `Port ${GATEWAY_PORT} (gateway) is in use: stop what listens there, or set GATEWAY_PORT.`,
    );
  } finally {
    server.close();
  }
});

it('the path of the socket of Envoy is as short as it can be', () => {
  expect(adminSocketIn(join(process.cwd(), '.cache/gateway'))).toBe('.cache/gateway/admin.sock');
  expect(adminSocketIn('/tmp/x/gateway').length).toBeLessThanOrEqual('/tmp/x/gateway/admin.sock'.length);
});
