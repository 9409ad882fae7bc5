import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { createClient, newCustomer, newProduct, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, until } from '../kit/cluster.ts';

const { namespace } = cluster;

test('the demo walks through the gateway', async () => {
  const gateway = await findGateway();
  const { stdout } = await execa('node', ['--import', 'tsx', 'tools/local/commands/demo.ts'], {
    cwd: root,
    env: { GATEWAY_URL: gateway },
  });
  expect(stdout).toContain('Everything went as expected.');
});

test('a customer of the gateway sees the order confirmed', async () => {
  const { send, close } = createClient(await findGateway());
  const customer = await newCustomer(send);
  const items = [{ productId: await newProduct(send, customer), quantity: 2 }];
  const { status, body } = await send('POST', '/orders', { items }, { cookie: customer.cookie });
  expect({ status, total: body.total }).toEqual({ status: 201, total: { amount: 2.5, currency: 'USD' } });
  await until(
    'the order is confirmed',
    async () => (await storedOrders(send, customer))[0]?.status === 'CONFIRMED',
    60,
  );
  close();
});

// Another version than the one that may be enforced, so that the API server looks at all pods that run.
test('all pods satisfy the Pod Security level restricted', async () => {
  const level = ['pod-security.kubernetes.io/enforce=restricted', 'pod-security.kubernetes.io/enforce-version=v1.32'];
  const label = ['label', '--dry-run=server', '--overwrite', 'namespace', namespace, ...level];
  const { stdout, stderr } = await execa('kubectl', label);
  expect(stdout).toContain('labeled (server dry run)');
  expect(stderr).not.toContain('violate');
});
