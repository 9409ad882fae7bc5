import type { V1EnvVar } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { cluster, helm, until } from '../kit/cluster.ts';

// Copies of the account service that are set up wrongly, beside the right one: each says what is wrong, and none is ever ready.

const { core, apps, namespace, release } = cluster;
const name = 'account-set-up-wrongly';
const secondsToSay = 180;

async function start(variable: V1EnvVar): Promise<void> {
  const { spec } = await apps.readNamespacedDeployment({ name: 'account', namespace });
  const pod = spec?.template.spec;
  const [container] = pod?.containers ?? [];
  if (!pod || !container) throw new Error('The Deployment account has no container.');
  const env = [...(container.env ?? []).filter((given) => given.name !== variable.name), variable];
  // Where policies are enforced, by this it may reach PostgreSQL.
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

/** It ends with an error, and says why. */
const endsSaying = (sentence: RegExp) =>
  until(
    `the pod says ${sentence}`,
    async () => {
      const { ready, restartCount = 0, lastState } = (await container()) ?? {};
      expect({ ready, restarted: restartCount > 0 }).toEqual({ ready: false, restarted: true });
      expect(lastState?.terminated).toMatchObject({ exitCode: 1, message: expect.stringMatching(sentence) });
    },
    secondsToSay,
  );

it('a wrong value', async () => {
  await start({ name: 'LOG_LEVEL', value: 'loud' });
  await endsSaying(/^ {2}LOG_LEVEL: .*"info".*$/m);
});

it('a Secret that is not there', async () => {
  await start({ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'not-there', key: 'account' } } });
  await until(
    'the pod says which Secret is missing',
    async () =>
      expect(await container()).toMatchObject({
        ready: false,
        state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "not-there" not found' } },
      }),
    secondsToSay,
  );
});

it('a database that cannot be reached', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:x@nowhere:5432/account' });
  await until(
    'the pod says what it waits for',
    async () => {
      const last = await core.readNamespacedPodLog({ name, namespace, tailLines: 1 });
      expect(JSON.parse(last)).toMatchObject({
        level: 'warn',
        msg: 'Waiting for the database',
        reason: expect.stringMatching(/^PostgreSQL at nowhere:5432: getaddrinfo .* nowhere$/),
      });
    },
    secondsToSay,
  );
  const { ready, restartCount } = (await container()) ?? {};
  expect({ ready, restartCount }).toEqual({ ready: false, restartCount: 0 });
});

it('a password that is wrong', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:wrong@postgres:5432/account' });
  await endsSaying(/Cannot start: PostgreSQL at postgres:5432: password authentication failed/);
});

it('a Secret without the key that is wanted of it: the chart refuses it', async () => {
  const secret = 'store-jwt-without-key';
  await core.createNamespacedSecret({ namespace, body: { metadata: { name: secret }, stringData: { OTHER: 'x' } } });
  try {
    const set = ['--reuse-values', '--hide-secret', '--set', `global.jwt.existingSecret=${secret}`];
    await expect(helm('upgrade', release, 'charts/store', '--dry-run=server', ...set)).rejects.toThrow(
      `global.jwt.existingSecret: the Secret ${secret} has no JWT_SECRET_KEY, or an empty one.`,
    );
  } finally {
    await core.deleteNamespacedSecret({ name: secret, namespace });
  }
});
