import { once } from 'node:events';
import { createServer } from 'node:http';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { root } from '../../tools/paths.ts';

const shop = (env: Record<string, string>) =>
  execa('node', ['tools/local/commands/shop.ts'], {
    cwd: root,
    env: { NODE_OPTIONS: '', ...env },
    reject: false,
    timeout: 30_000,
  });

it('make shop says that there is no store', async () => {
  const port = await freePort();
  const { exitCode, stderr } = await shop({ GATEWAY_PORT: String(port) });
  expect([exitCode, stderr]).toEqual([
    1,
    `The store does not respond at http://localhost:${port}: start it with make run.`,
  ]);
});

it('make shop says that the gateway does not allow it', async () => {
  const gateway = createServer((_, response) => response.end());
  gateway.listen(await freePort(), 'localhost');
  await once(gateway, 'listening');
  try {
    const { port } = gateway.address() as { port: number };
    const { exitCode, stderr } = await shop({ GATEWAY_PORT: String(port) });
    expect([exitCode, stderr]).toEqual([
      1,
      `The gateway at http://localhost:${port} does not allow http://localhost:3000: have it in its CORS_ALLOWED_ORIGINS.`,
    ]);
  } finally {
    gateway.close();
  }
});

it('make shop says that its port is in use, since the gateway allows no other', async () => {
  const gateway = createServer(({ headers }, response) =>
    response.setHeader('access-control-allow-origin', String(headers.origin)).end(),
  );
  const other = createServer();
  gateway.listen(await freePort(), 'localhost');
  await once(gateway, 'listening');
  other.once('error', () => undefined); // a shop of the developer's: in use as well
  other.listen(3000, 'localhost');
  try {
    const { port } = gateway.address() as { port: number };
    const { exitCode, stderr } = await shop({ GATEWAY_PORT: String(port) });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Port 3000 is in use: stop that process\./)]);
  } finally {
    gateway.close();
    other.close();
  }
});
