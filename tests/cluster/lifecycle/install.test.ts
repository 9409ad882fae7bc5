import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createClient, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, kubectl, runTool, until } from '../kit/cluster.ts';

const { namespace } = cluster;

test('make demo succeeds on the installed store', async () => {
  const { all } = await runTool('local/commands/demo.ts', [], { GATEWAY_URL: await findGateway() });
  expect(all).toContain('Everything went as expected.');
});

test('an order that is placed through the gateway is confirmed', async () => {
  const { send, close } = createClient(await findGateway());
  const customer = await newCustomer(send);
  const items = [{ productId: await newProduct(customer), quantity: 2 }];
  const { status, body } = await customer.send('POST', '/orders', { items });
  expect({ status, total: body.total }).toEqual({ status: 201, total: { amount: 2.5, currency: 'USD' } });
  await until('the order is confirmed', async () => (await storedOrders(customer.send))[0]?.status === 'CONFIRMED', 60);
  close();
});

// Another version than the one that may be enforced already, so that the API server checks all running pods.
test('all pods satisfy the Pod Security level restricted', async () => {
  const level = ['pod-security.kubernetes.io/enforce=restricted', 'pod-security.kubernetes.io/enforce-version=v1.32'];
  const label = ['label', '--dry-run=server', '--overwrite', 'namespace', namespace, ...level];
  const { stdout, stderr } = await kubectl(label);
  expect(stdout).toContain('labeled (server dry run)');
  expect(stderr).not.toContain('violate');
});
