import { setTimeout as pause } from 'node:timers/promises';
import {
  loginsSecret,
  nextAnnotation,
  passwordsSecret,
  rolesIn,
} from '../../../tools/cluster/rotation/rotate-password.ts';
import { cluster, runTool, say } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

const { core, namespace } = cluster;
const read = (name: string) => core.readNamespacedSecret({ name, namespace });
const rotate = () => runTool('cluster/commands/rotate-password.ts');

it('a rotation of the passwords of PostgreSQL fails no request, also if it was killed', async () => {
  const { data: before = {} } = await read(passwordsSecret);
  const roles = rolesIn(await read(loginsSecret));
  await expectNoLoss(async () => {
    const killed = rotate();
    await pause(20_000);
    killed.kill('SIGKILL');
    await killed;
    say(`killed; in progress: ${(await read(passwordsSecret)).metadata?.annotations?.[nextAnnotation]}`);
    const { all, exitCode } = await rotate();
    say(all);
    expect(exitCode).toBe(0);
    for (const password of Object.values(before)) expect(all).not.toContain(atob(password));
  });
  const { data: after = {}, metadata } = await read(passwordsSecret);
  for (const [role, password] of Object.entries(before)) expect(after[role]).not.toBe(password);
  expect(metadata?.annotations).not.toHaveProperty([nextAnnotation]);
  expect(rolesIn(await read(loginsSecret))).not.toEqual(roles);
}, 900_000);
