import type { V1EnvVar } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { cluster, helm, until } from '../kit/cluster.ts';

// Runs a misconfigured pod of the account service beside the installed ones. It must name the cause and never be ready.

const { core, apps, namespace, release } = cluster;
const name = 'account-misconfigured';
const secondsToReport = 180;

async function start(variable: V1EnvVar): Promise<void> {
  const { spec } = await apps.readNamespacedDeployment({ name: 'account', namespace });
  const pod = spec?.template.spec;
  const [container] = pod?.containers ?? [];
  if (!pod || !container) throw new Error('The Deployment account has no container.');
  const env = [...(container.env ?? []).filter((given) => given.name !== variable.name), variable];
  // The network policy of PostgreSQL lets pods with this label in.
  const labels = { 'calls/postgres': 'true' };
  const body = { metadata: { name, labels }, spec: { ...pod, containers: [{ ...container, env }] } };
  await core.createNamespacedPod({ namespace, body });
}

const read = () => core.readNamespacedPod({ name, namespace });
const container = async () => (await read()).status?.containerStatuses?.[0];

async function remove(): Promise<void> {
  await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 1 }).catch(orUndefined);
  await until('the pod is gone', async () => (await read().catch(orUndefined)) === undefined);
}

beforeEach(remove);
afterEach(remove);

/** Waits until the container has exited with code 1 and a termination message that matches. */
const untilExitedWith = (message: RegExp) =>
  until(
    `the container has exited with ${message}`,
    async () => {
      const { ready, restartCount = 0, lastState } = (await container()) ?? {};
      expect({ ready, restarted: restartCount > 0 }).toEqual({ ready: false, restarted: true });
      expect(lastState?.terminated).toMatchObject({ exitCode: 1, message: expect.stringMatching(message) });
    },
    secondsToReport,
  );

test('a pod with an invalid value exits and names the variable', async () => {
  await start({ name: 'LOG_LEVEL', value: 'loud' });
  await untilExitedWith(/^ {2}LOG_LEVEL: .*"info".*$/m);
});

test('a pod whose Secret is missing is not started and names the Secret', async () => {
  await start({ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'missing', key: 'account' } } });
  await until(
    'the status of the pod names the missing Secret',
    async () =>
      expect(await container()).toMatchObject({
        ready: false,
        state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "missing" not found' } },
      }),
    secondsToReport,
  );
});

test('a pod whose database is unreachable keeps waiting and logs the cause', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:x@nowhere:5432/account' });
  await until(
    'the pod logs the cause',
    async () => {
      const last = await core.readNamespacedPodLog({ name, namespace, tailLines: 1 });
      expect(JSON.parse(last)).toMatchObject({
        level: 'warn',
        msg: 'Waiting for the database',
        reason: expect.stringMatching(/^PostgreSQL at nowhere:5432: getaddrinfo .* nowhere$/),
      });
    },
    secondsToReport,
  );
  const { ready, restartCount } = (await container()) ?? {};
  expect({ ready, restartCount }).toEqual({ ready: false, restartCount: 0 });
});

test('a pod with a wrong database password exits and names the cause', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:wrong@postgres:5432/account' });
  await untilExitedWith(/Cannot start: PostgreSQL at postgres:5432: password authentication failed/);
});

test('the chart refuses an external database at a port that its NetworkPolicies would forbid', async () => {
  const name = 'store-elsewhere';
  const databases = ['account', 'auth', 'consumers', 'inventory', 'order', 'payment', 'product', 'status'];
  const stringData = Object.fromEntries(databases.map((one) => [one, `postgresql://a:hidden@[fd00::1]:6432/${one}`]));
  await core.createNamespacedSecret({ namespace, body: { metadata: { name }, stringData } });
  try {
    const set = `postgres.enabled=false,global.externalDatabase.existingSecret=${name}`;
    const render = (...more: string[]) =>
      helm('upgrade', release, 'charts/store', '--dry-run=server', '--reuse-values', '--set', set, ...more);
    const refusal = await render().catch(({ message }) => message);
    expect(refusal).toContain(`global.externalDatabase.ports lacks 6432, where the Secret ${name} says that`);
    expect(refusal).not.toContain('hidden');
    expect(await render('--set', 'global.externalDatabase.ports={6432}')).toContain('kind: Deployment');
  } finally {
    await core.deleteNamespacedSecret({ name, namespace });
  }
});
