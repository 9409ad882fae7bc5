import type { Cluster } from '../api.ts';
import { componentsOf, deploymentsOf } from '../rollout.ts';
import { checkAutoscalers } from './check-autoscalers.ts';
import { checkJobs } from './check-jobs.ts';
import { checkOperated } from './check-operated.ts';
import { checkRelease, checkVolumes } from './check-release.ts';
import { checkPasswords, checkSecrets } from './check-secrets.ts';
import { checkWorkload } from './check-workloads.ts';
import type { Finding } from './findings.ts';

/** Implements make doctor. @returns the number of problems */
export async function doctor(cluster: Cluster): Promise<number> {
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
  report(await checkPasswords(cluster));
  report(await checkVolumes(cluster));
  for (const workload of [...statefulSets, ...deployments]) report(await checkWorkload(cluster, workload));
  report(await checkAutoscalers(cluster));
  report(await checkJobs(cluster));
  report(await checkOperated(cluster));
  console.log(count === 0 ? '\nNothing is wrong.' : `\n${count} ${count === 1 ? 'thing is' : 'things are'} wrong.`);
  return count;
}
