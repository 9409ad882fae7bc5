import { setTimeout as pause } from 'node:timers/promises';
import type { V1Secret } from '@kubernetes/client-node';
import { isOperated, secretOfRole, urlsSecret } from '../../../tools/cluster/rotation/operated-passwords.ts';
import { nextAnnotation, otherRole } from '../../../tools/cluster/rotation/roles.ts';
import { loginsSecret, passwordsSecret, rolesIn } from '../../../tools/cluster/rotation/rotate-password.ts';
import { textOf } from '../../../tools/cluster/secrets.ts';
import { cluster, runTool, say } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

const { core, namespace } = cluster;
const operated = await isOperated(cluster);
const read = (name: string) => core.readNamespacedSecret({ name, namespace });
const rotate = () => runTool('cluster/commands/rotate-password.ts');

/** The roles that services log in as. */
async function currentRoles(): Promise<string[]> {
  if (!operated) return rolesIn(await read(loginsSecret));
  const urls = await read(urlsSecret);
  return Object.keys(urls.data ?? {}).map((name) => new URL(textOf(urls, name)).username);
}

async function readPasswords(roles: string[]): Promise<Record<string, string>> {
  const passwordIn = async (role: string, { data }: V1Secret) => [
    role,
    atob(data?.[operated ? 'password' : role] ?? ''),
  ];
  if (operated)
    return Object.fromEntries(
      await Promise.all(roles.map(async (role) => passwordIn(role, await read(secretOfRole(role))))),
    );
  const secret = await read(passwordsSecret);
  return Object.fromEntries(await Promise.all(Object.keys(secret.data ?? {}).map((role) => passwordIn(role, secret))));
}

const noted = async () => (await read(operated ? urlsSecret : passwordsSecret)).metadata?.annotations?.[nextAnnotation];

it("a rotation of PostgreSQL's passwords fails no request, even if it is killed and resumed", async () => {
  const roles = await currentRoles();
  const all = [...roles, ...roles.map(otherRole)];
  const before = await readPasswords(all);
  await expectNoLoss(async () => {
    const killed = rotate();
    await pause(20_000);
    killed.kill('SIGKILL');
    await killed;
    say(`killed; in progress: ${await noted()}`);
    const { all: said, exitCode } = await rotate();
    say(said);
    expect(exitCode).toBe(0);
    for (const password of Object.values(before)) expect(said).not.toContain(password);
  });
  const after = await readPasswords(all);
  for (const [role, password] of Object.entries(before)) expect(after[role]).not.toBe(password);
  expect(await noted()).toBeUndefined();
  expect(await currentRoles()).not.toEqual(roles);
}, 900_000);
