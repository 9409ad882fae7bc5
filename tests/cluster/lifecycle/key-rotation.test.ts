import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { nextAnnotation, readKeys, secretNameOf } from '../../../tools/cluster/jwt-keys.ts';
import { root } from '../../../tools/paths.ts';
import { createClient, newCustomer } from '../kit/client.ts';
import { cluster, findGateway, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { losesNothing } from '../kit/load.ts';

const { core, apps, namespace } = cluster;

const rotateKey = (...args: string[]) =>
  execa('node', ['--import', 'tsx', 'tools/cluster/commands/rotate-key.ts', ...args], {
    cwd: root,
    all: true,
    reject: false,
  });

async function readSecret() {
  const name = secretNameOf(await apps.readNamespacedDeployment({ name: 'auth', namespace })) ?? '';
  const secret = await core.readNamespacedSecret({ name, namespace });
  return { keys: readKeys(secret), isUnderWay: secret.metadata?.annotations?.[nextAnnotation] !== undefined };
}

test('a rotation fails no request, and keeps everybody logged in', async () => {
  // A new connection each time: the gateway closes one that is idle for as long as a rotation may take.
  const { send, close } = createClient(await findGateway(), true);
  const customer = await newCustomer(send);
  const { keys: before } = await readSecret();
  await losesNothing(async () => {
    const { all, exitCode } = await rotateKey();
    say(all);
    expect(exitCode).toBe(0);
    for (const key of [before.signing, ...before.previous]) expect(all).not.toContain(key);
  });
  const { keys, isUnderWay } = await readSecret();
  expect(isUnderWay).toBe(false);
  expect(keys.signing).not.toBe(before.signing);
  expect(keys.previous).toEqual([before.signing, ...before.previous].slice(0, 2));
  expect((await send('GET', '/accounts', undefined, { cookie: customer.cookie })).status).toBe(200);
  close();
});

test('a rotation that is killed wherever it is goes on at the next call', async () => {
  const { keys: before } = await readSecret();
  // How many rotations come to their end is not known, and no one may be logged out by their number.
  const rotate = () => rotateKey('--keep', '9');
  await losesNothing(async () => {
    for (const ms of [2_500, 6_000, 12_000, 25_000, 40_000]) {
      const running = rotate();
      await pause(ms);
      running.kill('SIGKILL');
      await running;
      const { isUnderWay } = await readSecret();
      say(`killed after ${ms} ms: ${isUnderWay ? 'half-done' : 'not begun, or done'}`);
    }
    const { exitCode, all } = await rotate();
    say(all);
    expect(exitCode).toBe(0);
  });
  const { keys, isUnderWay } = await readSecret();
  expect(isUnderWay).toBe(false);
  expect(keys.signing).not.toBe(before.signing);
});

test('of two rotations at once none undoes the other, and no one is logged out', async () => {
  await losesNothing(async () => {
    const both = await Promise.all([rotateKey(), rotateKey()]);
    for (const { exitCode, all } of both) {
      say(`exit code ${exitCode}: ${all.split('\n').at(-1)}`);
      if (exitCode !== 0) expect(all).toContain('Somebody else changed the Secret');
    }
    expect(both.map(({ exitCode }) => exitCode)).toContain(0);
  });
  expect((await readSecret()).isUnderWay).toBe(false);
});

test('an upgrade keeps the keys', async () => {
  const { keys } = await readSecret();
  await withInstalledValues(async (file) => {
    await upgrade('--values', file);
    expect((await readSecret()).keys).toEqual(keys);
  });
});

test('the previous keys are not dropped while their tokens may be alive', async () => {
  const { exitCode, all } = await rotateKey('--drop-previous');
  expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringContaining('may be alive') });
  expect((await readSecret()).keys.previous.length).toBeGreaterThan(0);
});
