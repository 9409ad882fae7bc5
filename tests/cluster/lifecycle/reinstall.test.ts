import type { V1Pod } from '@kubernetes/client-node';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { createClient, logIn, newCustomer, newProduct, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, helm, say, until, withInstalledValues } from '../kit/cluster.ts';

const { release } = cluster;

test('uninstalled and installed again, the store has its customers, their logins and their orders', async () => {
  const { send, close } = createClient(await findGateway());
  const customer = await newCustomer(send);
  const items = [{ productId: await newProduct(send, customer), quantity: 1 }];
  const { body: order } = await send('POST', '/orders', { items }, { cookie: customer.cookie });
  const isConfirmed = async () => (await storedOrders(send, customer))[0]?.status === 'CONFIRMED';
  await until('the order is confirmed', isConfirmed);
  close();

  await withInstalledValues(async () => {
    say('helm uninstall');
    await helm('uninstall', release, '--wait', '--timeout', '5m');
    const isRunning = ({ status }: V1Pod) => status?.phase === 'Running' || status?.phase === 'Pending';
    await until('no pod runs', async () => !(await podsOf(cluster)).some(isRunning));
    say('helm install');
  });

  say('helm test, which waits until the parts have found each other, some seconds after they are ready');
  await helm('test', release);
  const again = createClient(await findGateway());
  expect(await storedOrders(again.send, customer)).toMatchObject([{ id: order.id, status: 'CONFIRMED' }]);
  expect(await logIn(again.send, customer)).toMatch(/^__store_jwt_token=/);
  const second = await again.send('POST', '/orders', { items }, { cookie: customer.cookie });
  expect(second.status).toBe(201);
  await until('a new order is confirmed', async () =>
    (await storedOrders(again.send, customer)).every(({ status }) => status === 'CONFIRMED'),
  );
  again.close();
});
