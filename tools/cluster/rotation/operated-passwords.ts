import { randomUUID } from 'node:crypto';
import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import type { Cluster } from '../api.ts';
import { type CustomObject, listCustomObjects } from '../custom-objects.ts';
import { annotatePods, mountedSecretsOf, nameOf } from '../rollout.ts';
import { readSecret, textOf, withAnnotations, withLabels, withTexts, writeSecret } from '../secrets.ts';
import { databaseOf, isSecond, newPassword, nextAnnotation, otherRole, podAnnotation } from './roles.ts';

/** By database: the URL that services read. */
export const urlsSecret = 'store-databases';
/** The Secret of a role, which CloudNativePG reads: its username and password. */
export const secretOfRole = (role: string) => `database-${role}`;
/** On both kinds of Secrets: the rotation that wrote them. */
export const rotationAnnotation = 'store/database-rotation';
/** With this label CloudNativePG handles a changed Secret at once, else at the next change of the Cluster. */
const reloadLabel = { 'cnpg.io/reload': 'true' };

const clusterName = 'store-database';

const findCluster = async (cluster: Cluster): Promise<CustomObject | undefined> =>
  (await listCustomObjects(cluster, 'clusters')).find(({ metadata }) => metadata.name === clusterName);

async function findReaders({ apps, namespace }: Cluster): Promise<string[]> {
  const { items } = await apps.listNamespacedDeployment({ namespace });
  const reads = (one: V1Deployment) => mountedSecretsOf(one).some(({ name }) => name === urlsSecret);
  return items.filter(reads).map(nameOf);
}

/** Whether services use a PostgreSQL that CloudNativePG runs for the release. Your own PostgreSQL may use the same Secret. */
export async function isOperated(cluster: Cluster): Promise<boolean> {
  return (await findReaders(cluster)).length > 0 && (await findCluster(cluster)) !== undefined;
}

/**
 * Implements make rotate-password for CloudNativePG, in the steps of {@link rotatePassword}. It only writes Secrets: the operator
 * gives a role the password in its Secret, and services read the URLs. Each role has a Secret, which notes the rotation that wrote
 * it, so that a later or concurrent call does not write a password twice.
 * @param acceptedSeconds how long to wait for the operator, which is slower while an instance is replaced
 * @throws Error as a sentence, if it refuses
 */
export async function rotateOperatedPasswords(cluster: Cluster, acceptedSeconds = 300): Promise<void> {
  let urls = await read(cluster, urlsSecret);
  const readers = await findReaders(cluster);
  const annotations = urls.metadata?.annotations ?? {};
  const resumed = annotations[nextAnnotation];
  const next = resumed?.split(' ') ?? rolesIn(urls).map(otherRole);
  const rotation = (resumed && annotations[rotationAnnotation]) || randomUUID();
  await checkRoles(cluster, next);
  if (resumed === undefined) {
    console.log('1 of 3: setting new passwords for the unused roles');
    const notes = { [nextAnnotation]: next.join(' '), [rotationAnnotation]: rotation };
    urls = await write(cluster, withAnnotations(urls, notes));
  } else console.log('Resuming the interrupted rotation');
  const passwords = await renew(cluster, next, rotation);
  await untilAccepted(cluster, passwords, acceptedSeconds);

  console.log('2 of 3: switching the services to these roles');
  const texts = Object.fromEntries(
    [...passwords].map(([role, secret]) => [databaseOf(role), urlOf(urls, role, textOf(secret, 'password'))]),
  );
  urls = await write(cluster, withTexts(urls, texts)); // the same texts again change nothing
  await annotatePods(cluster, readers, { [podAnnotation]: rotation });

  console.log('3 of 3: replacing the old passwords');
  await untilAccepted(cluster, await renew(cluster, next.map(otherRole), rotation), acceptedSeconds);
  await write(cluster, withAnnotations(urls, { [nextAnnotation]: undefined }));
  console.log('Done. The old passwords are no longer valid.');
}

const advice = 'make deploy creates it.';
const read = (cluster: Cluster, name: string) => readSecret(cluster, name, advice);
const write = (cluster: Cluster, secret: V1Secret) => writeSecret(cluster, secret, 'rotate-password');

/** The roles that services log in as. @throws Error if a URL is for another PostgreSQL or another role */
function rolesIn(urls: V1Secret): string[] {
  return Object.keys(urls.data ?? {})
    .sort()
    .map((database) => {
      const { hostname, username } = new URL(textOf(urls, database));
      const role = decodeURIComponent(username);
      const where = `The URL of ${database} in the Secret ${urlsSecret}`;
      if (hostname.split('.')[0] !== `${clusterName}-rw`)
        throw new Error(`${where} leads to ${hostname}: change its password there (docs/databases.md)`);
      if (databaseOf(role) !== database)
        throw new Error(
          `${where} logs in as ${role}: first change it to log in as ${database}, with the password in ${secretOfRole(database)}`,
        );
      return role;
    });
}

/** @throws Error if the operator would not set the password of a role */
async function checkRoles(cluster: Cluster, next: string[]): Promise<void> {
  const { roles = [] } = (await findCluster(cluster))?.spec?.managed ?? {};
  for (const role of next.flatMap((one) => [one, otherRole(one)])) {
    if (!roles.some(({ name, passwordSecret }) => name === role && passwordSecret?.name === secretOfRole(role)))
      throw new Error(
        `The Cluster ${clusterName} has no role ${role}, which older releases lack: upgrade the release first`,
      );
  }
}

/** Gives roles new passwords, unless they already have one of this rotation. @returns their Secrets, by role */
async function renew(cluster: Cluster, roles: string[], rotation: string): Promise<Map<string, V1Secret>> {
  const secrets = new Map<string, V1Secret>();
  for (const role of roles) {
    const found = await read(cluster, secretOfRole(role));
    const isRenewed = found.metadata?.annotations?.[rotationAnnotation] === rotation;
    const changed = withAnnotations(withTexts(found, { password: newPassword() }), { [rotationAnnotation]: rotation });
    secrets.set(role, isRenewed ? found : await write(cluster, withLabels(changed, reloadLabel)));
  }
  return secrets;
}

/** A session of the second role acts as the role of the database, which therefore owns everything that either role creates. */
function urlOf(urls: V1Secret, role: string, password: string): string {
  const url = new URL(textOf(urls, databaseOf(role)));
  url.username = role;
  url.password = password;
  const others = (url.searchParams.get('options') ?? '').replace(/-c role=\S+/, '').trim();
  const options = `${others}${isSecond(role) ? ` -c role=${databaseOf(role)}` : ''}`.trim();
  if (options) url.searchParams.set('options', options);
  else url.searchParams.delete('options');
  // libpq does not decode a plus.
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}

/** Waits until PostgreSQL has the passwords in these Secrets, by role. The operator reports which version of each it has applied. */
async function untilAccepted(cluster: Cluster, secrets: Map<string, V1Secret>, seconds: number): Promise<void> {
  let problem = '';
  const fallback = () => {
    const who = `CloudNativePG did not apply the new passwords within ${seconds} s`;
    throw new Error(`${who}${problem}: make doctor shows its state, and its log says why. Then repeat the command.`);
  };
  await pWaitFor(
    async () => {
      const { passwordStatus, cannotReconcile } = (await findCluster(cluster))?.status?.managedRolesStatus ?? {};
      const missing = [...secrets].filter(
        ([role, { metadata }]) => passwordStatus?.[role]?.resourceVersion !== metadata?.resourceVersion,
      );
      problem = missing.flatMap(([role]) => cannotReconcile?.[role] ?? []).map((one) => ` (${one})`)[0] ?? '';
      return missing.length === 0;
    },
    { interval: 1_000, timeout: { milliseconds: seconds * 1000, fallback } },
  );
}
