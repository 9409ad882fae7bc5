import { nameOf } from '../../../tools/cluster/rollout.ts';
import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createClient, placeConfirmed, storedOrders } from '../kit/client.ts';
import { cluster, findGateway, runTool, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { batch, core, namespace } = cluster;

const restore = (...args: string[]) => runTool('cluster/commands/restore.ts', args);

async function backup(): Promise<string> {
  const { spec } = await batch.readNamespacedCronJob({ name: 'postgres-backup', namespace });
  const body = { metadata: { generateName: 'postgres-backup-test-' }, spec: spec?.jobTemplate.spec };
  const name = nameOf(await batch.createNamespacedJob({ namespace, body }));
  await until(`the Job ${name} is complete`, async () => {
    const { status } = await batch.readNamespacedJob({ name, namespace });
    if (status?.failed) throw new Error(`${name} failed: kubectl logs`);
    return status?.succeeded === 1;
  });
  const { items } = await core.listNamespacedPod({ namespace, labelSelector: `batch.kubernetes.io/job-name=${name}` });
  const log = await core.readNamespacedPodLog({ name: nameOf(items[0] ?? {}), namespace });
  say(log);
  return /(\S+) is complete/.exec(log)?.[1] ?? '';
}

it('a backup under load fails no request, and a restore brings back its content', async () => {
  await withInstalledValues(async (file) => {
    await upgrade('--values', file, '--set', 'postgres.backup.enabled=true');
    let name = '';
    const load = await underLoad({}, async () => {
      name = await backup();
    });
    expect(load.failures.map(({ what }) => what)).toEqual([]);
    await load.untilSettled();

    const client = createClient(await findGateway(), { keepAlive: false });
    const late = await newCustomer(client.send);
    const items = [{ productId: await newProduct(late), quantity: 1 }];
    expect((await late.send('POST', '/orders', { items })).status).toBe(201);

    expect((await restore()).all).toContain(name);
    const refused = await restore('--from', name);
    expect(refused).toMatchObject({ exitCode: 1, all: expect.stringContaining('holds data') });
    expect((await storedOrders(late.send)).length).toBe(1);
    const { all, exitCode } = await restore('--from', name, '--replace');
    say(all);
    expect(exitCode).toBe(0);

    // Ready pods only get requests once the node knows their addresses.
    const { email, password } = late;
    const logIn = () => client.send('POST', '/auth/login', { email, password });
    await until('the late customer is unknown', async () => (await logIn()).status === 401);
    await placeConfirmed(await newCustomer(client.send));
    client.close();
  });
}, 1_200_000);
