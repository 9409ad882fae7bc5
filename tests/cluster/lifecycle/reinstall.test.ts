import type { V1Pod } from '@kubernetes/client-node';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { logIn, newCustomer } from '../../kit/customer.ts';
import { withCookie } from '../../kit/http.ts';
import { createClient, placeConfirmed, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, helm, say, until, withInstalledValues } from '../kit/cluster.ts';

const { release } = cluster;

it('accounts, valid tokens and orders survive an uninstall and a new install', async () => {
  const { send, close } = createClient(await findGateway());
  const customer = await newCustomer(send);
  const order = await placeConfirmed(customer);
  close();

  await withInstalledValues(async () => {
    say('helm uninstall');
    await helm('uninstall', release, '--wait', '--timeout', '5m');
    const isRunning = ({ status }: V1Pod) => status?.phase === 'Running' || status?.phase === 'Pending';
    await until('no pod runs', async () => !(await podsOf(cluster)).some(isRunning));
    say('helm install');
  });

  say('helm test, which waits until the components have found each other, some seconds after they are ready');
  await helm('test', release);
  const client = createClient(await findGateway());
  const sendAsCustomer = withCookie(client.send, customer.cookie);
  expect(await storedOrders(sendAsCustomer)).toMatchObject([{ id: order.id, status: 'CONFIRMED' }]);
  expect(await logIn(client.send, customer)).toMatch(/^__store_jwt_token=/);
  await placeConfirmed({ ...customer, send: sendAsCustomer });
  client.close();
});
