import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { useFolder } from '../../tests/kit/folder.ts';
import { adminSocketIn } from './components/gateway.ts';
import { checkPorts, fixedPorts } from './ports.ts';

const folder = useFolder();

it.each([
  ['ss', `echo 'LISTEN 0 511 127.0.0.1:1 0.0.0.0:* users:(("thing",pid=4711,fd=18))'`],
  ['lsof', `printf 'p4711\\ncthing\\nf18\\n'`],
])('names who has a port, by %s', async (tool, line) => {
  const dir = join(folder, tool);
  await mkdir(dir);
  await writeFile(join(dir, tool), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { PATH } = process.env;
  process.env.PATH = dir;
  try {
    const GATEWAY_PORT = String((server.address() as AddressInfo).port);
    await expect(checkPorts(fixedPorts({ GATEWAY_PORT }), ['gateway'])).rejects.toThrow(
      `Port ${GATEWAY_PORT} (gateway) is in use by thing (pid 4711): stop that process, or set GATEWAY_PORT.`,
    );
  } finally {
    process.env.PATH = PATH;
    server.close();
  }
});

it('the path of the socket of Envoy is as short as it can be', () => {
  expect(adminSocketIn(join(process.cwd(), '.cache/gateway'))).toBe('.cache/gateway/admin.sock');
  expect(adminSocketIn('/tmp/x/gateway').length).toBeLessThanOrEqual('/tmp/x/gateway/admin.sock'.length);
});
