import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { logIn, newCustomer, newProduct } from '../../kit/customer.ts';
import { createClient, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, helm, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';

/** HELM3: the path of a Helm 3. */
const { HELM3 } = process.env;
if (!HELM3) say('skipped: the change from Helm 3 to Helm 4, because HELM3 is not set');

(HELM3 ? test : test.skip)(
  'a release that Helm 3 has installed is upgraded by Helm 4 and keeps its data',
  async () => {
    const { release, namespace } = cluster;
    await withInstalledValues(async (file) => {
      await helm('uninstall', release, '--wait', '--timeout', '5m');
      const args = [
        'install',
        release,
        'charts/store',
        '--namespace',
        namespace,
        '--values',
        file,
        '--wait',
        '--timeout',
        '10m',
      ];
      say('helm 3 install');
      await execa(String(HELM3), args, { cwd: root });
      const { send, close } = createClient(await findGateway(), { keepAlive: false });
      const customer = await newCustomer(send);
      const items = [{ productId: await newProduct(customer), quantity: 1 }];
      await customer.send('POST', '/orders', { items });
      const isConfirmed = async () => (await storedOrders(customer.send))[0]?.status === 'CONFIRMED';
      await until('the order is confirmed', isConfirmed);
      say('helm 4 upgrade');
      await upgrade('--values', file);
      expect(await logIn(send, customer)).toMatch(/^__store_jwt_token=/);
      expect(await storedOrders(customer.send)).toMatchObject([{ status: 'CONFIRMED' }]);
      close();
    });
  },
  1_500_000,
);
