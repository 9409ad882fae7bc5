import { connectOrExit, sentence } from '../api.ts';
import { checkGateway, checkKafka, checkMigrations } from '../doctor/check-migrations.ts';
import { checkSecrets } from '../doctor/check-secrets.ts';
import { checkWorkload } from '../doctor/check-workloads.ts';
import { type Finding, ok, wrong } from '../doctor/findings.ts';
import { readRelease } from '../release.ts';
import { componentsOf, nameOf } from '../rollout.ts';

// make doctor: what is wrong with the release, and what to do about it. Changes nothing, and prints no secret.

const cluster = connectOrExit();
const { core, apps, namespace, release } = cluster;
let count = 0;

function report(findings: Finding[]): void {
  for (const { what, wrong } of findings) {
    console.log(wrong === undefined ? `ok     ${what}` : `WRONG  ${what}\n       ${wrong}`);
    if (wrong !== undefined) count += 1;
  }
}

async function checkVolumes(): Promise<Finding[]> {
  const { items } = await core.listNamespacedPersistentVolumeClaim({ namespace });
  return items.map((claim) =>
    claim.status?.phase === 'Bound'
      ? ok(`volume ${nameOf(claim)}: ${claim.status.capacity?.storage}`)
      : wrong(
          `volume ${nameOf(claim)}: ${claim.status?.phase}`,
          `kubectl -n ${namespace} describe pvc ${nameOf(claim)}; kubectl get storageclass shows whether there is a default`,
        ),
  );
}

try {
  const found = await readRelease(cluster);
  if (!found) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  const { version, status, values } = found;
  report([
    status === 'deployed'
      ? ok(`release ${release} in namespace ${namespace}, revision ${version}`)
      : wrong(
          `release ${release}, revision ${version}: ${status}`,
          status.startsWith('pending')
            ? 'it is being changed, or that was cut off: helm rollback, then make deploy'
            : 'make deploy',
        ),
  ]);
  const labelSelector = componentsOf(release);
  const deployments = (await apps.listNamespacedDeployment({ namespace, labelSelector })).items;
  const databases = (await apps.listNamespacedStatefulSet({ namespace, labelSelector })).items;
  report(await checkSecrets(cluster, deployments));
  report(await checkVolumes());
  for (const workload of [...databases, ...deployments]) report(await checkWorkload(cluster, workload));
  report(await checkMigrations(cluster, deployments));
  report(await checkKafka(cluster, deployments, values.kafka.topics));
  report([await checkGateway(cluster)]);
  console.log(count === 0 ? '\nNothing is wrong.' : `\n${count} ${count === 1 ? 'thing is' : 'things are'} wrong.`);
  process.exitCode = count === 0 ? 0 : 1;
} catch (error) {
  console.error(sentence(error, cluster));
  process.exitCode = 1;
}
