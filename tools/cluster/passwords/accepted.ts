import type { V1Secret } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import type { Cluster } from '../api.ts';
import { exec, podsOf } from '../pods.ts';
import { digestOf, textOf } from './logins.ts';

/**
 * Exits with 0 once each role=digest has that password file, and can log in with it. By the address of the pod, since PostgreSQL
 * trusts every connection from inside it.
 */
const program = `
for pair in "$@"; do
  role=\${pair%=*}; file=/passwords/$role; database=\${role%.b}
  [ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "\${pair#*=}" ] || exit 1
  PGPASSWORD=$(cat "$file") psql -qX -h "$(hostname -i | cut -d ' ' -f 1)" -U "$role" -d "$database" -c 'select 1' || exit 1
done`;

/** kubelet writes a changed Secret into the pod within some 90 s. */
const seconds = 300;

/** Waits until PostgreSQL accepts the passwords that the Secret has for these roles. */
export async function untilAccepted(cluster: Cluster, secret: V1Secret, roles: string[]): Promise<void> {
  const [pod] = await podsOf(cluster, 'postgres');
  if (!pod) throw new Error('PostgreSQL does not run: make doctor says why');
  const pairs = roles.map((role) => `${role}=${digestOf(textOf(secret, role))}`);
  const accepts = () =>
    exec(cluster, pod, ['bash', '-c', program, '-', ...pairs], 'databases').then(
      () => true,
      () => false,
    );
  const fallback = () => {
    throw new Error(
      `PostgreSQL did not take the new passwords within ${seconds} s: kubectl logs postgres-0 -c databases`,
    );
  };
  await pWaitFor(accepts, { interval: 3_000, timeout: { milliseconds: seconds * 1000, fallback } });
}
