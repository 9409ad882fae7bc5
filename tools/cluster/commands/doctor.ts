import { Tool } from '../../run-command.ts';
import { type Cluster, environmentHelp, withCluster } from '../api.ts';
import { checkRelease, checkVolumes } from '../doctor/check-release.ts';
import { checkSecrets } from '../doctor/check-secrets.ts';
import { checkWorkload } from '../doctor/check-workloads.ts';
import type { Finding } from '../doctor/findings.ts';
import { componentsOf, deploymentsOf } from '../rollout.ts';

async function doctor(cluster: Cluster): Promise<void> {
  const { apps, namespace, release } = cluster;
  let count = 0;
  const report = (findings: Finding[]) => {
    for (const finding of findings) console.log(finding);
    count += findings.filter((finding) => finding.startsWith('WRONG')).length;
  };
  report([await checkRelease(cluster)]);
  const labelSelector = componentsOf(release);
  const deployments = await deploymentsOf(cluster);
  const statefulSets = (await apps.listNamespacedStatefulSet({ namespace, labelSelector })).items;
  report(await checkSecrets(cluster, deployments));
  report(await checkVolumes(cluster));
  for (const workload of [...statefulSets, ...deployments]) report(await checkWorkload(cluster, workload));
  console.log(count === 0 ? '\nNothing is wrong.' : `\n${count} ${count === 1 ? 'thing is' : 'things are'} wrong.`);
  process.exitCode = count === 0 ? 0 : 1;
}

await new Tool('make doctor')
  .description(
    'Reports what is wrong with the release in the cluster, and what to do about it: its state, Secrets, volumes, workloads. Changes nothing and prints no secret. Whether the installed store does its work is tested by helm test and watched by alerts.',
  )
  .addHelpText('after', `${environmentHelp}\n\nExit code: 0 where nothing is wrong.`)
  .action(() => withCluster(doctor))
  .run();
