import { execa } from 'execa';
import { eventually, get, kubectl, namespace } from './_kubectl.ts';

// Copies of the account service that are set up wrongly, beside the right one: each says what is wrong, and none is ever ready.

const name = 'account-set-up-wrongly';

interface Variable {
  name: string;
  value?: string;
  valueFrom?: object;
}

async function start(variable: Variable): Promise<void> {
  const { spec } = await get('deployment', 'account');
  const pod = spec.template.spec;
  const env = pod.containers[0].env.filter((given: Variable) => given.name !== variable.name);
  pod.containers[0].env = [...env, variable];
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { ...pod, restartPolicy: 'Always' },
  };
  await execa('kubectl', ['apply', '-f', '-'], { input: JSON.stringify(manifest) });
}

afterEach(() => kubectl('delete', 'pod', name, '--ignore-not-found', '--now'));

const container = async () => (await get('pod', name)).status.containerStatuses?.[0];

it('a wrong value', async () => {
  await start({ name: 'LOG_LEVEL', value: 'loud' });
  await eventually(async () => {
    const { ready, restartCount, lastState } = (await container()) ?? {};
    expect({ ready, restarted: restartCount > 0 }).toEqual({ ready: false, restarted: true });
    expect(lastState.terminated).toMatchObject({ exitCode: 1, message: expect.stringMatching(/LOG_LEVEL: .*"info"/) });
  });
});

it('a Secret that is not there', async () => {
  const secretKeyRef = { name: 'not-there', key: 'account' };
  await start({ name: 'DATABASE_URL', valueFrom: { secretKeyRef } });
  await eventually(async () => {
    const { ready, state } = (await container()) ?? {};
    expect({ ready, state }).toMatchObject({
      ready: false,
      state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "not-there" not found' } },
    });
  });
});

it('a database that cannot be reached', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:x@nowhere:5432/account' });
  await eventually(async () => {
    const last = (await kubectl('logs', name, '--tail=1')).trim();
    expect(JSON.parse(last)).toMatchObject({
      level: 'warn',
      msg: 'Waiting for what is needed to start',
      reason: expect.stringMatching(/getaddrinfo .* nowhere/),
    });
  });
  const { ready, restartCount } = await container();
  expect({ ready, restartCount }).toEqual({ ready: false, restartCount: 0 });
});

it('a password that is wrong', async () => {
  await start({ name: 'DATABASE_URL', value: 'postgresql://account:wrong@postgres:5432/account' });
  await eventually(async () => {
    const { ready, restartCount, lastState } = (await container()) ?? {};
    expect({ ready, restarted: restartCount > 0 }).toEqual({ ready: false, restarted: true });
    expect(lastState.terminated.message).toMatch(
      /Cannot start: .*password authentication failed|Authentication failed/i,
    );
  });
});
