import { useFolder } from '../../../tests/kit/folder.ts';
import { runInCluster } from '../../../tests/kit/kubernetes/cluster-command.ts';
import { startKubernetesApi } from '../../../tests/kit/kubernetes/kubernetes-api.ts';
import type { Cluster } from '../api.ts';
import { listBackups, restore, start } from './restore.ts';

// make restore against a fake API server with KEDA. tests/e2e/backup.test.ts tests the scripts, tests/cluster everything on a real
// cluster.

const core = '/api/v1/namespaces/store';
const jobs = '/apis/batch/v1/namespaces/store/jobs';
const cronJob = '/apis/batch/v1/namespaces/store/cronjobs/postgres-restore';
const scaledObject = '/apis/keda.sh/v1alpha1/namespaces/store/scaledobjects/invoice';
const kedaAnnotation = 'autoscaling.keda.sh/paused-replicas';

const dir = useFolder();
let api: Awaited<ReturnType<typeof startKubernetesApi>>;
/** By the beginning of a Job's name: whether it succeeds, and what it prints. */
let outcomes: Record<string, () => [boolean, string]>;
/** Names of the started Jobs, without their numbers. */
let started: string[];

const run = (work: Parameters<typeof runInCluster>[2]) => runInCluster(api.kubeconfig, dir, work);
const restoreOne = (replace = false) => run((cluster) => restore(cluster, '20260131T021700Z', replace));
const replicasOf = (name: string) => api.deployments.find(({ metadata }) => metadata.name === name)?.spec.replicas;
const annotations = (): Record<string, string> => {
  const found = api.objects.get(scaledObject);
  return typeof found === 'object' ? ((found.metadata.annotations ?? {}) as Record<string, string>) : {};
};

function endJob(path: string): void {
  const name = path.slice(jobs.length + 1);
  const [, begin = ''] = /^(.*)-\d+$/.exec(name) ?? [];
  started.push(begin);
  const [hasSucceeded, output] = outcomes[begin]?.() ?? [true, `${begin} is done`];
  const job = api.objects.get(path);
  if (typeof job !== 'object') return;
  const status = { conditions: [{ type: hasSucceeded ? 'Complete' : 'Failed', status: 'True' }] };
  api.objects.set(path, { ...job, status });
  const labels = { 'batch.kubernetes.io/job-name': name };
  const spec = { containers: [{ name: 'main' }] };
  api.objects.set(`${core}/pods/${name}`, { metadata: { name, labels }, spec, status: { phase: 'Succeeded' } });
  api.objects.set(`${core}/pods/${name}/log`, output);
}

/** Scales like KEDA: to the number in the annotation, or else to at least two. */
function scaleAsKeda(): void {
  const found = api.objects.get(scaledObject);
  const invoice = api.deployments.find(({ metadata }) => metadata.name === 'invoice');
  if (typeof found !== 'object' || !invoice) return;
  const paused = annotations()[kedaAnnotation];
  invoice.spec.replicas = paused === undefined ? Math.max(2, invoice.spec.replicas) : Number(paused);
  const status = { conditions: [{ type: 'Paused', status: paused === undefined ? 'False' : 'True' }] };
  api.objects.set(scaledObject, { ...found, status });
}

beforeEach(async () => {
  const deploymentOf = (name: string, replicas: number, variables: string[]) => {
    const env = variables.map((variable) => ({ name: variable, value: 'x' }));
    const template = { metadata: {}, spec: { containers: [{ name, env }] } };
    return { metadata: { name, generation: 1 }, spec: { replicas, template } };
  };
  const order = deploymentOf('order', 2, ['DATABASE_URL']);
  const invoice = deploymentOf('invoice', 3, ['DATABASE_URL', 'CONSUMER_GROUP']);
  api = await startKubernetesApi([order, invoice]);
  const env = ['FROM', 'REPLACE', 'CHECK'].map((name) => ({ name, value: '' }));
  const spec = { template: { metadata: {}, spec: { containers: [{ name: 'restore', env }] } } };
  api.objects.set(cronJob, { metadata: { name: 'postgres-restore' }, spec: { jobTemplate: { spec } } });
  const scaleTargetRef = { name: 'invoice' };
  api.objects.set(scaledObject, { metadata: { name: 'invoice' }, spec: { scaleTargetRef } });
  started = [];
  // Offsets cannot be set while the group has a member.
  const skip = (): [boolean, string] =>
    replicasOf('invoice') === 0 ? [true, 'skipped'] : [false, 'the group has members'];
  outcomes = { 'invoice-skip': skip };
  scaleAsKeda();
  api.hooks.after = (request) => {
    const [method, path = ''] = request.split(' ');
    if (method === 'POST' && path.startsWith(jobs)) endJob(path);
    scaleAsKeda();
  };
});

const jobsLeft = () => [...api.objects.keys()].filter((path) => path.startsWith(jobs));

it('pauses an autoscaler by lag until everything has started again, and leaves no Job', async () => {
  const { failed, said } = await restoreOne();
  expect(said).toContain('Done.');
  expect(failed).toBe(false);
  expect(started).toEqual(['postgres-restore-check', 'postgres-restore', 'invoice-skip']);
  expect([replicasOf('order'), replicasOf('invoice')]).toEqual([2, 3]);
  expect(annotations()).toEqual({});
  expect(jobsLeft()).toEqual([]);
});

it('starts what a failed restore has stopped, with the pause that the autoscaler had', async () => {
  api.objects.set(scaledObject, {
    metadata: { name: 'invoice', annotations: { [kedaAnnotation]: '3' } },
    spec: { scaleTargetRef: { name: 'invoice' } },
  });
  outcomes['postgres-restore'] = () => [false, 'invalid page'];
  const failed = await restoreOne();
  expect(failed).toEqual({ failed: true, said: expect.stringContaining('failed: invalid page') });
  expect(failed.said).toContain('or start them with: make restore ARGS=--start');
  expect([replicasOf('order'), replicasOf('invoice')]).toEqual([0, 0]);
  expect(annotations()).toMatchObject({ [kedaAnnotation]: '0' });

  delete outcomes['postgres-restore'];
  outcomes['invoice-skip'] = () => [false, 'no broker'];
  expect((await restoreOne(true)).said).toContain('The services stay stopped.');
  expect([replicasOf('order'), replicasOf('invoice')]).toEqual([0, 0]);

  expect((await run(start)).failed).toBe(false);
  expect([replicasOf('order'), replicasOf('invoice')]).toEqual([2, 3]);
  expect(annotations()).toEqual({ [kedaAnnotation]: '3' });
  expect(jobsLeft()).toEqual([]);
});

it('lists the backups, and stops nothing', async () => {
  outcomes['postgres-restore-list'] = () => [true, 'There are: 20260131T021700Z'];
  expect(await run(listBackups)).toEqual({ failed: false, said: 'There are: 20260131T021700Z' });
  expect([replicasOf('order'), replicasOf('invoice')]).toEqual([2, 3]);
  expect(jobsLeft()).toEqual([]);
});

it.each([
  ['the release', ['/apis/apps/v1/namespaces/store/statefulsets/postgres'], 'set postgres.backup.enabled'],
  ['CloudNativePG', ['/apis/postgresql.cnpg.io/v1/namespaces/store/clusters/store-database'], 'docs/recovery.md'],
  ['somebody else', [], 'restore that of global.externalDatabase by its own means'],
])('says what to do if there is no backup of a PostgreSQL of %s', async (_, paths, advice) => {
  api.objects.delete(cronJob);
  const labels = {
    'app.kubernetes.io/part-of': 'store',
    'app.kubernetes.io/instance': 'store',
    'app.kubernetes.io/name': 'postgres',
  };
  for (const path of paths)
    api.objects.set(path, { metadata: { name: path.slice(path.lastIndexOf('/') + 1), labels } });
  for (const work of [listBackups, (cluster: Cluster) => restore(cluster, '20260131T021700Z')])
    expect(await run(work)).toEqual({ failed: true, said: expect.stringContaining(advice) });
});
