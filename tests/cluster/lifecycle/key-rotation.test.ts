import { setTimeout as pause } from 'node:timers/promises';
import { nextAnnotation, readKeys } from '../../../tools/cluster/jwt-keys.ts';
import { secretNameOf } from '../../../tools/cluster/rotation/key-readers.ts';
import { newCustomer } from '../../kit/customer.ts';
import { createClient } from '../kit/client.ts';
import { cluster, findGateway, runTool, say } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

const { core, apps, namespace } = cluster;

const rotateKey = () => runTool('cluster/commands/rotate-key.ts', []);

async function readSecret() {
  const name = secretNameOf(await apps.readNamespacedDeployment({ name: 'auth', namespace })) ?? '';
  const secret = await core.readNamespacedSecret({ name, namespace });
  return { keys: readKeys(secret), isInProgress: secret.metadata?.annotations?.[nextAnnotation] !== undefined };
}

it('a key rotation fails no request and logs no one out', async () => {
  // A rotation may take longer than the gateway keeps an idle connection open.
  const { send, close } = createClient(await findGateway(), { keepAlive: false });
  const customer = await newCustomer(send);
  const { keys: before } = await readSecret();
  await expectNoLoss(async () => {
    const { all, exitCode } = await rotateKey();
    say(all);
    expect(exitCode).toBe(0);
    for (const key of [before.signing, ...before.previous]) expect(all).not.toContain(key);
  });
  const { keys, isInProgress } = await readSecret();
  expect(isInProgress).toBe(false);
  expect(keys.signing).not.toBe(before.signing);
  expect(keys.previous).toEqual([before.signing, ...before.previous]);
  expect((await customer.send('GET', '/accounts')).status).toBe(200);
  close();
});

it('a key rotation killed at any point is resumed by the next call', async () => {
  const { keys: before } = await readSecret();
  await expectNoLoss(async () => {
    for (const ms of [2_500, 6_000, 12_000, 25_000, 40_000]) {
      const running = rotateKey();
      await pause(ms);
      running.kill('SIGKILL');
      await running;
      const { isInProgress } = await readSecret();
      say(`killed after ${ms} ms: ${isInProgress ? 'in progress' : 'not started, or done'}`);
    }
    const { exitCode, all } = await rotateKey();
    say(all);
    expect(exitCode).toBe(0);
  });
  const { keys, isInProgress } = await readSecret();
  expect(isInProgress).toBe(false);
  expect(keys.signing).not.toBe(before.signing);
});

it('concurrent key rotations do not undo each other and log no one out', async () => {
  await expectNoLoss(async () => {
    const both = await Promise.all([rotateKey(), rotateKey()]);
    for (const { exitCode, all } of both) {
      say(`exit code ${exitCode}: ${all.split('\n').at(-1)}`);
      if (exitCode !== 0) expect(all).toContain('Somebody else changed the Secret');
    }
    expect(both.map(({ exitCode }) => exitCode)).toContain(0);
  });
  expect((await readSecret()).isInProgress).toBe(false);
});
