import type { V1CronJob, V1Job } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { componentsOf, nameOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Checks that the newest finished Job of each kind succeeded, and that CronJobs run. */
export async function checkJobs({ batch, namespace, release }: Cluster): Promise<Finding[]> {
  const all = (await batch.listNamespacedJob({ namespace })).items.filter((job) => isOf(release, job));
  const newestFirst = all.sort((a, b) => createdAt(b) - createdAt(a));
  const ended = newestFirst.filter((job) => endOf(job) !== undefined);
  const newest = ended.filter((job, index) => index === ended.findIndex((one) => kindOf(one) === kindOf(job)));
  const failed = newest.filter((job) => endOf(job)?.type === 'Failed');
  const jobs = failed.map((job) => {
    const logs = `kubectl -n ${namespace} logs job/${nameOf(job)} --all-containers --tail=20`;
    return wrong(`job ${nameOf(job)} has failed: ${endOf(job)?.message ?? endOf(job)?.reason}`, `${logs} says why`);
  });

  const labelSelector = componentsOf(release);
  const cronJobs = (await batch.listNamespacedCronJob({ namespace, labelSelector })).items;
  // postgres-restore never runs by itself.
  const scheduled = cronJobs.filter((one) => nameOf(one) !== 'postgres-restore');
  const isFailed = (one: V1CronJob) => failed.some((job) => kindOf(job) === kindOf(one.spec?.jobTemplate));
  return [...jobs, ...scheduled.flatMap((one) => (isFailed(one) ? [] : checkCronJob(one, namespace)))];
}

function checkCronJob(cronJob: V1CronJob, namespace: string): Finding {
  const name = nameOf(cronJob);
  const { lastScheduleTime: due, lastSuccessfulTime: last, active = [] } = cronJob.status ?? {};
  if (cronJob.spec?.suspend)
    return wrong(
      `cronjob ${name} is suspended`,
      `unless that is intended: kubectl -n ${namespace} patch cronjob ${name} -p '{"spec":{"suspend":false}}'`,
    );
  const isMissing = due !== undefined && (last === undefined || last < due) && active.length === 0;
  if (isMissing)
    return wrong(
      `cronjob ${name}: its run of ${due.toISOString()} has not succeeded`,
      `kubectl -n ${namespace} create job --from=cronjob/${name} ${name}-now repeats it`,
    );
  return ok(`cronjob ${name}: ${last ? `last success ${last.toISOString()}` : 'not due yet'}`);
}

const endOf = ({ status }: V1Job) =>
  status?.conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');

const createdAt = ({ metadata }: V1Job) => metadata?.creationTimestamp?.getTime() ?? 0;

/** The component of its pods, which says what it does. */
const kindOf = (job: Pick<V1Job, 'spec'> | undefined) =>
  job?.spec?.template.metadata?.labels?.['app.kubernetes.io/name'];

/** By the labels of its pods, which are those of a component. */
function isOf(release: string, job: V1Job): boolean {
  const labels = job.spec?.template.metadata?.labels ?? {};
  return labels['app.kubernetes.io/part-of'] === 'store' && labels['app.kubernetes.io/instance'] === release;
}
