import { createHash } from 'node:crypto';
import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import type { Cluster } from '../api.ts';
import { exec, podsOf } from '../pods.ts';
import { annotatePods, mountedSecretsOf, nameOf, variablesOf } from '../rollout.ts';
import { readSecret, textOf, withAnnotations, withTexts, writeSecret } from '../secrets.ts';
import { isOperated, rotateOperatedPasswords } from './operated-passwords.ts';
import { databaseOf, newPassword, nextAnnotation, otherRole, podAnnotation } from './roles.ts';

/** The password of each role, mounted into PostgreSQL's pod as files. Roles `<database>.b` exist after the first rotation. */
export const passwordsSecret = 'postgres';
/** By database: `role:password` of the role that services log in as. */
export const loginsSecret = 'postgres-logins';
export const rolesIn = (logins: V1Secret): string[] =>
  Object.keys(logins.data ?? {})
    .sort()
    .map((database) => textOf(logins, database).split(':')[0] ?? '');

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Implements make rotate-password, here for the PostgreSQL in the release. PostgreSQL has one password per role, but while replicas are
 * replaced one by one, both the old and the new password must work. So two roles of each database take turns (docs/decisions/0019):
 * 1. The unused role gets a new password; PostgreSQL has to accept it before a service gets it.
 * 2. The services log in as that role: all replicas are replaced.
 * 3. The other role gets a new password that nobody knows, and so does the superuser.
 * The Secrets and the pods record the progress, so that the next call resumes an interrupted rotation.
 * @param accepted waits until PostgreSQL accepts the passwords of roles
 * @throws Error as a sentence, if it refuses
 */
export async function rotatePassword(cluster: Cluster, accepted = untilAccepted): Promise<void> {
  if (await isOperated(cluster)) return rotateOperatedPasswords(cluster);
  let passwords = await read(cluster, passwordsSecret);
  const logins = await read(cluster, loginsSecret);
  const readers = await findReaders(cluster);
  const resumed = passwords.metadata?.annotations?.[nextAnnotation];
  const next = resumed?.split(' ') ?? rolesIn(logins).map(otherRole);
  if (resumed === undefined) {
    console.log('1 of 3: setting new passwords for the unused roles');
    passwords = await write(cluster, renewed(passwords, next, next.join(' ')));
  } else console.log('Resuming the interrupted rotation');
  await accepted(cluster, passwords, next);

  console.log('2 of 3: switching the services to these roles');
  const texts = Object.fromEntries(next.map((role) => [databaseOf(role), `${role}:${textOf(passwords, role)}`]));
  await write(cluster, withTexts(logins, texts)); // the same texts again change nothing
  const digest = digestOf(JSON.stringify(texts)).slice(0, 16);
  await annotatePods(cluster, readers, { [podAnnotation]: digest });

  console.log('3 of 3: replacing the old passwords');
  const before = [...next.map(otherRole), 'postgres'];
  await accepted(cluster, await write(cluster, renewed(passwords, before)), before);
  console.log('Done. The old passwords are no longer valid.');
}

/** The Secret with new passwords of these roles. @param next the note of the unfinished rotation */
function renewed(secret: V1Secret, roles: string[], next?: string): V1Secret {
  const passwords = Object.fromEntries(roles.map((role) => [role, newPassword()]));
  return withAnnotations(withTexts(secret, passwords), { [nextAnnotation]: next });
}

const advice =
  'Change passwords of your own PostgreSQL there (docs/databases.md); otherwise make deploy creates the Secret.';
const read = (cluster: Cluster, name: string) => readSecret(cluster, name, advice);

const write = (cluster: Cluster, secret: V1Secret) => writeSecret(cluster, secret, 'rotate-password');

/** The Deployments that log in. @throws Error if one of them would not follow the rotation */
async function findReaders({ apps, namespace }: Cluster): Promise<string[]> {
  const { items } = await apps.listNamespacedDeployment({ namespace });
  // From a file, or in older releases from a variable.
  const reads = (secret: string) => (one: V1Deployment) =>
    variablesOf(one).some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secret) ||
    mountedSecretsOf(one).some(({ name }) => name === secret);
  const old = items.find(reads(passwordsSecret));
  const why = `gets a password from the Secret ${passwordsSecret}, as in older releases: upgrade the release first`;
  if (old) throw new Error(`${nameOf(old)} ${why}`);
  return items.filter(reads(loginsSecret)).map(nameOf);
}

/**
 * Exits with 0 if, for each role=digest, the password file has that digest and the role can log in with it. It connects to the pod's
 * address, because PostgreSQL trusts connections over the socket and localhost.
 */
const program = `
for pair in "$@"; do
  role=\${pair%=*}; file=/passwords/$role; database=\${role%.b}
  [ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "\${pair#*=}" ] || exit 1
  PGPASSWORD=$(cat "$file") psql -qX -h "$(hostname -i | cut -d ' ' -f 1)" -U "$role" -d "$database" -c 'select 1' || exit 1
done`;

/** The kubelet writes a changed Secret into the pod within about 90 s. */
const acceptedSeconds = 300;

async function untilAccepted(cluster: Cluster, secret: V1Secret, roles: string[]): Promise<void> {
  const [pod] = await podsOf(cluster, 'postgres');
  if (!pod) throw new Error('PostgreSQL does not run: make doctor says why');
  const pairs = roles.map((role) => `${role}=${digestOf(textOf(secret, role))}`);
  const command = ['bash', '-c', program, '-', ...pairs];
  const accepts = () =>
    exec(cluster, pod, command, 'databases').then(
      () => true,
      () => false,
    );
  const message = `PostgreSQL did not accept the new passwords within ${acceptedSeconds} s: kubectl logs postgres-0 -c databases`;
  await pWaitFor(accepts, { interval: 3_000, timeout: { milliseconds: acceptedSeconds * 1000, message } });
}
