import type { V1Deployment } from '@kubernetes/client-node';
import { Command, InvalidArgumentError } from 'commander';
import { runCommand } from '../../run-command.ts';
import { type Cluster, environmentHelp, withCluster } from '../api.ts';
import { secretNameOf } from '../jwt-keys.ts';
import { componentsOf } from '../rollout.ts';
import { dropPrevious } from '../rotation/drop-previous.ts';
import { readKeySecret } from '../rotation/key-secret.ts';
import { findReaders } from '../rotation/replace-replicas.ts';
import { rotate } from '../rotation/rotate.ts';

interface Options {
  secret?: string;
  keep: number;
  dropPrevious?: boolean;
  now?: boolean;
}

async function rotateKey(cluster: Cluster, options: Options): Promise<void> {
  const auth = await findAuth(cluster);
  const name = options.secret ?? secretNameOf(auth);
  if (!name) throw new Error('auth does not get its JWT_SECRET_KEY from a Secret: name the Secret with --secret');
  const env = auth.spec?.template.spec?.containers.flatMap(({ env }) => env ?? []) ?? [];
  const ttlSeconds = Number(env.find(({ name }) => name === 'JWT_TTL_SECONDS')?.value || 86_400);
  const secret = await readKeySecret(cluster, name);
  await findReaders(cluster, name); // before anything is changed
  if (options.dropPrevious) await dropPrevious(cluster, secret, ttlSeconds, options.now ?? false);
  else await rotate(cluster, secret, options.keep, ttlSeconds);
}

async function findAuth({ apps, namespace, release }: Cluster): Promise<V1Deployment> {
  const labelSelector = `${componentsOf(release)},app.kubernetes.io/name=auth`;
  const [auth] = (await apps.listNamespacedDeployment({ namespace, labelSelector })).items;
  if (!auth) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  return auth;
}

function atLeastOne(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be 1 or more, as the old key has to verify.');
}

const command = new Command('make rotate-key')
  .description(
    'Makes a new JWT key sign tokens without logging anybody out. A repetition resumes an interrupted rotation.',
  )
  .option('--secret <name>', 'the Secret with the keys (default: the one that auth uses)')
  .option('--keep <number>', 'how many previous keys still verify', atLeastOne, 2)
  .option('--drop-previous', 'instead of a rotation: remove the previous keys once their tokens have expired')
  .option('--now', 'with --drop-previous: even if that logs customers out')
  .addHelpText('after', environmentHelp)
  .action((options: Options) => withCluster((cluster) => rotateKey(cluster, options)));

await runCommand(command);
