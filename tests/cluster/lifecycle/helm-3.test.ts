import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { logIn, newCustomer } from '../../kit/customer.ts';
import { createClient, placeConfirmed, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, helm, say, upgrade, withInstalledValues } from '../kit/cluster.ts';

/** HELM3: the path of a Helm 3 binary. */
const { HELM3 } = process.env;
if (!HELM3) say('skipped: the change from Helm 3 to Helm 4, because HELM3 is not set');

(HELM3 ? it : it.skip)(
  'a release installed by Helm 3 can be upgraded by Helm 4 and keeps its data',
  async () => {
    const { release, namespace } = cluster;
    await withInstalledValues(async (file) => {
      await helm('uninstall', release, '--wait', '--timeout', '5m');
      const where = ['--namespace', namespace, '--values', file];
      say('helm 3 install');
      await execa(String(HELM3), ['install', release, 'charts/store', ...where, '--wait', '--timeout', '10m'], {
        cwd: root,
      });
      const { send, close } = createClient(await findGateway(), { keepAlive: false });
      const customer = await newCustomer(send);
      await placeConfirmed(customer);
      say('helm 4 upgrade');
      await upgrade('--values', file);
      expect(await logIn(send, customer)).toMatch(/^__store_jwt_token=/);
      expect(await storedOrders(customer.send)).toMatchObject([{ status: 'CONFIRMED' }]);
      close();
    });
  },
  1_500_000,
);
