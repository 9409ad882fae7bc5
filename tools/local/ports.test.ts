import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { adminSocketIn } from './components/gateway.ts';
import { checkPorts, fixedPorts, ignoredPortVariables, portNames, variableOf, variablesOfCommands } from './ports.ts';

it('names the component whose port is in use, and the variable that changes it', async () => {
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

it('keeps the path of the socket of Envoy as short as possible', () => {
  expect(adminSocketIn(join(process.cwd(), '.cache/gateway'))).toBe('.cache/gateway/admin.sock');
  expect(adminSocketIn('/tmp/x/gateway').length).toBeLessThanOrEqual('/tmp/x/gateway/admin.sock'.length);
});

it('lists for commands in another terminal every port that differs from the documented one', () => {
  const env = Object.fromEntries(portNames.map((name, index) => [variableOf(name), String(20_000 + index)]));
  const said = Object.fromEntries(variablesOfCommands(fixedPorts(env)).map((one) => one.split('=')));
  expect(said).toMatchObject({ KAFKA_PORT: env.KAFKA_PORT, ORDER_METRICS_PORT: env.ORDER_METRICS_PORT });
  for (const name of portNames) expect(fixedPorts(said).of(name)).toBe(fixedPorts(env).of(name));
  expect(variablesOfCommands(fixedPorts({}))).toEqual([]);
});

it('lists the port variables that PORTS=free ignores, and refuses invalid ports', () => {
  expect(
    ignoredPortVariables({ GATEWAY_PORT: '18080', ORDER_METRICS_PORT: '19084', KAFKA_PORT: '', OTHER_PORT: '1' }),
  ).toEqual(['GATEWAY_PORT', 'ORDER_METRICS_PORT']);
  for (const port of ['0', '65536', '8080.5', 'eighty', '-1'])
    expect(() => ignoredPortVariables({ GATEWAY_PORT: port })).toThrow(
      `GATEWAY_PORT=${port} is not a port: a whole number from 1 to 65535 is expected.`,
    );
});
