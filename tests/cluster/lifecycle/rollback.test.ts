import { randomUUID } from 'node:crypto';
import { newCustomer } from '../../kit/customer.ts';
import { createClient } from '../kit/client.ts';
import { cluster, findGateway, helm, runTool, say } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

// HELM selects a different Helm: HELM=<path> make test-cluster ARGS=lifecycle/rollback

const { core, namespace, release } = cluster;

/** Returns the contents of the Secrets by name, without Helm's own, which are the release's revisions. */
async function readSecrets() {
  const { items } = await core.listNamespacedSecret({ namespace });
  const own = items.filter(({ type }) => type !== 'helm.sh/release.v1');
  return Object.fromEntries(own.map(({ metadata, data }) => [metadata?.name, data]));
}

const revisions = async (): Promise<{ revision: number; status: string }[]> =>
  JSON.parse(await helm('history', release, '--output', 'json'));

const deployed = async () => (await revisions()).find(({ status }) => status === 'deployed')?.revision;

it('after a key rotation, a rollback works, logs no one out and changes no Secret', async () => {
  const { send, close } = createClient(await findGateway(), { keepAlive: false });
  const customer = await newCustomer(send);
  const before = await deployed();
  await expectNoLoss(async () => {
    const mark = `account.podAnnotations.test=${randomUUID()}`;
    say('helm upgrade, make rotate-key');
    await helm('upgrade', release, 'charts/store', '--reuse-values', '--set', mark, '--wait', '--timeout', '10m');
    const { all, exitCode } = await runTool('cluster/commands/rotate-key.ts', []);
    say(all);
    expect(exitCode).toBe(0);
    const rotated = await readSecrets();
    say(`helm rollback to revision ${before}`);
    await helm('rollback', release, String(before), '--wait', '--timeout', '10m');
    expect(await readSecrets()).toEqual(rotated);
    expect((await customer.send('GET', '/accounts')).status).toBe(200);
  });
  expect(await deployed()).toBeGreaterThan(before ?? 0);
  close();
});

it('no revision of the release holds a key or a password', async () => {
  const values = Object.entries(await readSecrets()).flatMap(([name, data]) =>
    Object.entries(data ?? {}).map(([key, value]) => ({ place: `${name}/${key}`, value })),
  );
  expect(values.map(({ place }) => place)).toEqual(expect.arrayContaining(['store-jwt/JWT_SECRET_KEY']));
  for (const { revision } of (await revisions()).slice(-2)) {
    const stored = await helm('get', 'all', release, '--revision', String(revision));
    const held = values.filter(({ value }) => value && (stored.includes(value) || stored.includes(atob(value))));
    expect(held.map(({ place }) => place)).toEqual([]);
  }
});
