import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { type Cluster, isStatus, orUndefined } from '../api.ts';
import { annotatePods, nameOf, variablesOf, waitForRollout } from '../rollout.ts';
import { untilAccepted } from './accepted.ts';
import {
  databaseOf,
  digestOf,
  loginsSecret,
  newPassword,
  nextAnnotation,
  otherRole,
  passwordsSecret,
  podAnnotation,
  rolesIn,
  textOf,
  withTexts,
} from './logins.ts';

/**
 * Does the work of make rotate-password. PostgreSQL has one password per role, and replicas that are replaced one by
 * one need the old and the new one at a time. So two roles of each database take turns (docs/decisions/0032):
 * 1. The role that nobody uses gets a new password; PostgreSQL has to accept it before anybody is told of it.
 * 2. The services log in as that role: all replicas are replaced.
 * 3. The role of before gets a new password that nobody knows, and so does the superuser.
 * The Secrets and the pods show how far a rotation has come, so that the next call resumes an interrupted one.
 * @param accepted waits until PostgreSQL accepts the passwords of roles
 * @throws Error as a sentence, where it refuses
 */
export async function rotatePassword(cluster: Cluster, accepted = untilAccepted): Promise<void> {
  let passwords = await read(cluster, passwordsSecret);
  const logins = await read(cluster, loginsSecret);
  const readers = await findReaders(cluster);
  const resumed = passwords.metadata?.annotations?.[nextAnnotation];
  const next = resumed?.split(' ') ?? rolesIn(logins).map(otherRole);
  if (resumed === undefined) {
    console.log('1 of 3: new passwords for the roles that nobody uses');
    passwords = await write(cluster, renewed(passwords, next, { [nextAnnotation]: next.join(' ') }));
  } else console.log('Resuming the interrupted rotation');
  await accepted(cluster, passwords, next);

  console.log('2 of 3: the services log in with them');
  const texts = Object.fromEntries(next.map((role) => [databaseOf(role), `${role}:${textOf(passwords, role)}`]));
  const isKnown = Object.entries(texts).every(([database, text]) => textOf(logins, database) === text);
  if (!isKnown) await write(cluster, withTexts(logins, texts));
  const digest = digestOf(JSON.stringify(texts)).slice(0, 16);
  await Promise.all(readers.map((name) => annotatePods(cluster, name, { [podAnnotation]: digest })));
  await waitForRollout(cluster, readers, (line) => console.log(`  ${line}`));

  console.log('3 of 3: the passwords of before are replaced');
  const before = [...next.map(otherRole), 'postgres'];
  await accepted(cluster, await write(cluster, renewed(passwords, before, {})), before);
  console.log('Done. No password of before is valid any more.');
}

/** The Secret with new passwords of these roles, and with these annotations in place of the note of an unfinished rotation. */
function renewed(secret: V1Secret, roles: string[], noted: Record<string, string>): V1Secret {
  const { [nextAnnotation]: _, ...kept } = secret.metadata?.annotations ?? {};
  const metadata = { ...secret.metadata, annotations: { ...kept, ...noted } };
  return withTexts({ ...secret, metadata }, Object.fromEntries(roles.map((role) => [role, newPassword()])));
}

async function read({ core, namespace }: Cluster, name: string): Promise<V1Secret> {
  const secret = await core.readNamespacedSecret({ name, namespace }).catch(orUndefined);
  if (secret) return secret;
  throw new Error(
    `There is no Secret ${name} in namespace ${namespace}. The passwords of a PostgreSQL of your own are changed there (docs/databases.md); otherwise make deploy creates it.`,
  );
}

/** Overwrites no concurrent change. */
async function write({ core, namespace }: Cluster, body: V1Secret): Promise<V1Secret> {
  const name = nameOf(body);
  return core
    .replaceNamespacedSecret({ name, namespace, body, fieldManager: 'store-rotate-password' })
    .catch((error) => {
      if (!isStatus(error, 409)) throw error;
      throw new Error(
        `Somebody else changed the Secret ${name} at the same time, perhaps another rotation. Nothing is lost: repeat the command.`,
      );
    });
}

/** The Deployments that log in. @throws Error where one would not follow */
async function findReaders({ apps, namespace }: Cluster): Promise<string[]> {
  const { items } = await apps.listNamespacedDeployment({ namespace });
  const reads = (secret: string) => (one: V1Deployment) =>
    variablesOf(one).some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secret);
  const old = items.find(reads(passwordsSecret));
  if (old)
    throw new Error(
      `${nameOf(old)} gets a password from the Secret ${passwordsSecret}, as before this version: upgrade the release first`,
    );
  return items.filter(reads(loginsSecret)).map(nameOf);
}
