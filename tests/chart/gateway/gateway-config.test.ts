import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeGatewayConfig } from '../../../tools/local/components/gateway.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-gateway-config-'));
});
afterEach(() => rm(dir, { recursive: true }));

it('the local run renders the gateway anew only if its values have changed, or if a file is incomplete', async () => {
  const file = join(dir, 'envoy.yaml');
  const written = async (port: number) => {
    await writeGatewayConfig(file, { port });
    const { mtimeMs, size } = await stat(file);
    return { mtimeMs, size, ports: (await readFile(file, 'utf8')).match(/port_value: 80\d\d/g) };
  };
  const first = await written(8070);
  expect(first.ports).toContain('port_value: 8070');
  expect(await written(8070)).toEqual(first);
  await truncate(file, first.size - 10);
  expect((await written(8070)).size).toBe(first.size);
  const { ports } = await written(8071);
  expect(ports).toContain('port_value: 8071');
});
