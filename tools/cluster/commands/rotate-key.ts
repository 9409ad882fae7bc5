import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { program } from 'commander';
import { type Cluster, connectOrExit, isStatus, orUndefined, sentence } from '../api.ts';
import {
  type Keys,
  keysProblem,
  kidOf,
  kidsOf,
  newKey,
  nextAnnotation,
  podAnnotation,
  readersOf,
  readKeys,
  secretNameOf,
  sinceAnnotation,
  withKeys,
} from '../jwt-keys.ts';
import { annotatePods, componentsOf, nameOf, waitForRollout } from '../rollout.ts';

// make rotate-key: another key signs the tokens from now on, and nobody is logged out. While copies of auth are being
// replaced, old and new ones answer side by side, so every copy must know the new key before the first signs with it:
//   1. the new key joins the previous ones, which verify, and the Secret says which it is; all copies are replaced;
//   2. it signs, and the key until now joins the previous ones; all copies are replaced again.
// What is done already is seen from the Secret and from the pods, so a rotation that was cut off goes on at the next call.

const options = program
  .option('--secret <name>', 'the Secret with the keys (default: the one that auth is given)')
  .option('--keep <number>', 'how many previous keys are kept', '2')
  .option('--drop-previous', 'no new key: forget the previous ones, when no token of theirs can be alive')
  .option('--now', 'with --drop-previous: also when that logs customers out')
  .parse()
  .opts<{ secret?: string; keep: string; dropPrevious?: boolean; now?: boolean }>();

const cluster = connectOrExit();
const { core, apps, namespace, release } = cluster;
const say = (line: string) => console.log(line);

async function findAuth(): Promise<V1Deployment> {
  const labelSelector = `${componentsOf(release)},app.kubernetes.io/name=auth`;
  const [auth] = (await apps.listNamespacedDeployment({ namespace, labelSelector })).items;
  if (!auth) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  return auth;
}

async function readSecret(name: string): Promise<V1Secret> {
  const secret = await core.readNamespacedSecret({ name, namespace }).catch(orUndefined);
  if (!secret)
    throw new Error(`There is no Secret ${name} in namespace ${namespace}. make doctor says what is missing.`);
  const problem = keysProblem(readKeys(secret));
  if (problem) throw new Error(`The Secret ${name}: ${problem}`);
  return secret;
}

/** The resourceVersion goes with it: what somebody else has changed meanwhile is not overwritten. */
async function writeSecret(secret: V1Secret): Promise<V1Secret> {
  try {
    return await core.replaceNamespacedSecret({
      name: nameOf(secret),
      namespace,
      body: secret,
      fieldManager: 'store-rotate-key',
    });
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    throw new Error(
      `Somebody else changed the Secret ${nameOf(secret)} meanwhile, perhaps another rotation: nothing is lost. When it is over, make doctor says whether a rotation is unfinished.`,
    );
  }
}

async function findReaders(secretName: string): Promise<string[]> {
  const readers: string[] = [];
  for (const deployment of (await apps.listNamespacedDeployment({ namespace })).items) {
    const containers = readersOf(deployment, secretName);
    if (containers.length === 0) continue;
    if (containers.some(({ takesPrevious }) => !takesPrevious)) {
      throw new Error(
        `${nameOf(deployment)} is given JWT_SECRET_KEY but not JWT_PREVIOUS_SECRET_KEYS, and would refuse the tokens of one key or the other: give it both (secrets in its values).`,
      );
    }
    readers.push(nameOf(deployment));
  }
  return readers;
}

/** Every copy that is there afterwards was started with the keys that the Secret holds now. */
async function roll(cluster: Cluster, secret: V1Secret): Promise<void> {
  const readers = await findReaders(nameOf(secret));
  const kids = await kidsOf(readKeys(secret));
  await Promise.all(readers.map((name) => annotatePods(cluster, name, { [podAnnotation]: kids })));
  await waitForRollout(cluster, readers, (line) => say(`  ${line}`));
  say(`  ${readers.join(', ')}: done`);
}

async function rotate(found: V1Secret, keep: number, ttlSeconds: number): Promise<void> {
  let secret = found;
  let keys = readKeys(secret);
  const next = secret.metadata?.annotations?.[nextAnnotation];
  if (next === undefined) {
    const key = newKey();
    keys = { ...keys, previous: [key, ...keys.previous] };
    secret = await writeSecret(withKeys(secret, keys, { [nextAnnotation]: await kidOf(key) }));
    say(`1 of 2: key ${await kidOf(key)} is made, and verifies`);
  } else {
    say(`A rotation to key ${next} was cut off: it is finished now`);
  }
  secret = await promote(secret, keys, keep);
  await roll(cluster, secret);
  const { [nextAnnotation]: _, ...annotations } = secret.metadata?.annotations ?? {};
  await writeSecret({ ...secret, metadata: { ...secret.metadata, annotations } });
  say(
    `Done. The key until now verifies on; from ${droppable(secret, ttlSeconds).toISOString()} on no token of it is alive, and it may`,
  );
  say('be dropped: make rotate-key ARGS=--drop-previous');
}

/** Step 2, unless it is done. */
async function promote(secret: V1Secret, { signing, previous }: Keys, keep: number): Promise<V1Secret> {
  const next = secret.metadata?.annotations?.[nextAnnotation] ?? '';
  if ((await kidOf(signing)) === next) return secret;
  const kids = await Promise.all(previous.map(kidOf));
  const key = previous[kids.indexOf(next)];
  if (key === undefined) {
    throw new Error(
      `The Secret ${nameOf(secret)} says that key ${next} comes next, but does not hold it. Remove the note, and start anew: kubectl -n ${namespace} annotate secret ${nameOf(secret)} ${nextAnnotation}-`,
    );
  }
  await roll(cluster, secret);
  const older = previous.filter((one) => one !== key);
  const kept = [signing, ...older].slice(0, keep);
  const annotations = { [nextAnnotation]: next, [sinceAnnotation]: new Date().toISOString() };
  const written = await writeSecret(withKeys(secret, { signing: key, previous: kept }, annotations));
  const dropped = older.length + 1 - kept.length;
  say(
    `2 of 2: it signs; ${kept.length} previous ${kept.length === 1 ? 'key verifies' : 'keys verify'}${dropped > 0 ? `, ${dropped} older dropped` : ''}`,
  );
  return written;
}

/** When the last token of the key before the present one has expired. */
function droppable(secret: V1Secret, ttlSeconds: number): Date {
  const since = Date.parse(secret.metadata?.annotations?.[sinceAnnotation] ?? '');
  // Copies signed with it until they were replaced; 30 s is the skew that auth grants.
  return new Date((Number.isNaN(since) ? Date.now() : since) + (ttlSeconds + 30 + 600) * 1000);
}

async function dropPrevious(secret: V1Secret, ttlSeconds: number): Promise<void> {
  const keys = readKeys(secret);
  if (secret.metadata?.annotations?.[nextAnnotation] !== undefined)
    throw new Error('A rotation was cut off: finish it first by make rotate-key');
  const time = droppable(secret, ttlSeconds);
  if (keys.previous.length > 0 && time.getTime() > Date.now() && !options.now) {
    throw new Error(
      `Until ${time.toISOString()} tokens of a previous key may be alive, and their customers would be logged out. If that is meant: --drop-previous --now`,
    );
  }
  const written =
    keys.previous.length === 0 ? secret : await writeSecret(withKeys(secret, { ...keys, previous: [] }, {}));
  await roll(cluster, written);
  say('The previous keys are forgotten.');
}

try {
  const keep = Number(options.keep);
  if (!Number.isInteger(keep) || keep < 1)
    throw new Error('--keep must be 1 or more: the key until now has to verify on.');
  const auth = await findAuth();
  const name = options.secret ?? secretNameOf(auth);
  if (!name) throw new Error('auth is not given its JWT_SECRET_KEY from a Secret: name it with --secret');
  const env = auth.spec?.template.spec?.containers.flatMap(({ env }) => env ?? []) ?? [];
  const ttlSeconds = Number(env.find(({ name }) => name === 'JWT_TTL_SECONDS')?.value || 86_400);
  const secret = await readSecret(name);
  await findReaders(name);
  await (options.dropPrevious ? dropPrevious(secret, ttlSeconds) : rotate(secret, keep, ttlSeconds));
} catch (error) {
  console.error(sentence(error, cluster));
  process.exitCode = 1;
}
