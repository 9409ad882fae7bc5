import { type Cluster, isStatus, orUndefined } from '../api.ts';
import { type CustomKind, type CustomObject, conditionOf, listCustomObjects } from '../custom-objects.ts';
import { isPausedByRestore } from '../restore/stopped.ts';
import { checkPod, checkWorkload } from './check-workloads.ts';
import { type Finding, ok, resumeRestore, wrong } from './findings.ts';

type Check = (cluster: Cluster, plural: CustomKind, one: CustomObject) => Finding[] | Promise<Finding[]>;

const checks: [CustomKind, Check][] = [
  ['clusters', checkDatabase],
  ['poolers', checkPooler],
  ['kafkas', checkReady],
  ['kafkatopics', checkReady],
  ['kafkausers', checkReady],
  ['certificates', checkReady],
  ['scaledobjects', checkScaledObject],
];

/** Checks the objects that operators manage for the store, of the kinds that the cluster knows. */
export async function checkOperated(cluster: Cluster): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [plural, check] of checks) {
    const all = await listCustomObjects(cluster, plural).catch((error): Finding => {
      if (!isStatus(error, 403)) throw error;
      return wrong(`${plural}: not checked`, 'this command has no right to list them');
    });
    if (typeof all === 'string') findings.push(all);
    else for (const one of all) findings.push(...(await check(cluster, plural, one)));
  }
  return findings;
}

const nameIn = (plural: CustomKind, { metadata }: CustomObject) => `${plural.replace(/s$/, '')} ${metadata.name}`;

/** Checks the condition by which most operators report that an object is set up. */
function checkReady({ namespace }: Cluster, plural: CustomKind, one: CustomObject): Finding[] {
  const what = nameIn(plural, one);
  const { status, reason, message } = conditionOf(one, 'Ready') ?? {};
  if (status === 'True') return [ok(`${what}: ready`)];
  const remedy = `kubectl -n ${namespace} describe ${what}, and the log of its operator`;
  const why = message ?? reason ?? 'its operator has not handled it';
  return [wrong(`${what} is not ready: ${why}`, remedy)];
}

function checkScaledObject(cluster: Cluster, plural: CustomKind, one: CustomObject): Finding[] {
  const what = nameIn(plural, one);
  if (isPausedByRestore(one)) return [wrong(`${what} is paused by a restore`, resumeRestore)];
  if (conditionOf(one, 'Paused')?.status === 'True') return [ok(`${what}: paused by its annotation`)];
  return checkReady(cluster, plural, one);
}

/** Checks a PostgreSQL by CloudNativePG, which creates its pods without a StatefulSet. */
async function checkDatabase(cluster: Cluster, plural: CustomKind, one: CustomObject): Promise<Finding[]> {
  const { core, namespace } = cluster;
  const { name } = one.metadata;
  const what = nameIn(plural, one);
  const { readyInstances = 0, phase = 'its operator has not handled it', phaseReason } = one.status ?? {};
  const wanted = one.spec?.instances ?? 1;
  const state = `${what}: ${readyInstances} of ${wanted} instances ready`;
  const findings: Finding[] = [];
  if (readyInstances >= wanted && phase === 'Cluster in healthy state') findings.push(ok(state));
  else {
    const labelSelector = `cnpg.io/cluster=${name}`;
    const see = `wait, or see kubectl -n ${namespace} get pods -l ${labelSelector}, and the log of the operator`;
    findings.push(wrong(`${state}. ${[phase, phaseReason].filter(Boolean).join(': ')}`, see));
    const { items } = await core.listNamespacedPod({ namespace, labelSelector });
    findings.push(...(await Promise.all(items.map((pod) => checkPod(cluster, pod)))).flat());
  }
  const archive = 'docs/runbooks/postgres.md, StorePostgresArchiving';
  for (const [type, fails] of [
    ['ContinuousArchiving', 'does not archive its write-ahead log'],
    ['LastBackupSucceeded', 'could not make its last backup'],
  ] as const) {
    const { status, message } = conditionOf(one, type) ?? {};
    if (status === 'False') findings.push(wrong(`${what} ${fails}: ${message}`, archive));
  }
  return findings;
}

/** The operator creates a Deployment of the same name. */
async function checkPooler(cluster: Cluster, plural: CustomKind, one: CustomObject): Promise<Finding[]> {
  const { apps, namespace } = cluster;
  const { name } = one.metadata;
  const found = await apps.readNamespacedDeployment({ name, namespace }).catch(orUndefined);
  if (found) return checkWorkload(cluster, found);
  return [wrong(`${nameIn(plural, one)} has no Deployment`, 'see the log of the operator CloudNativePG')];
}
