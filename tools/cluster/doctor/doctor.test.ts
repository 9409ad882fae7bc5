import { useFolder } from '../../../tests/kit/folder.ts';
import { runInCluster } from '../../../tests/kit/kubernetes/cluster-command.ts';
import { startKubernetesApi } from '../../../tests/kit/kubernetes/kubernetes-api.ts';
import { doctor } from './doctor.ts';

// make doctor against a fake API server; tests/cluster uses a real one.

const namespaced = (api: string, kind: string, name: string) => `/${api}/namespaces/store/${kind}/${name}`;
const cnpg = 'apis/postgresql.cnpg.io/v1';
const strimzi = 'apis/kafka.strimzi.io/v1';
const labels = { 'app.kubernetes.io/part-of': 'store', 'app.kubernetes.io/instance': 'store' };
const ready = (status: string, message = '') => ({ conditions: [{ type: 'Ready', status, message }] });

const dir = useFolder();
let api: Awaited<ReturnType<typeof startKubernetesApi>>;

/** Returns its output, and the number of problems. */
async function examine() {
  let count: number | undefined;
  const { said } = await runInCluster(api.kubeconfig, dir, async (cluster) => {
    count = await doctor(cluster);
  });
  return { count, said };
}

function put(path: string, rest: object = {}, metadata: object = {}): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  api.objects.set(path, { ...rest, metadata: { name, labels, ...metadata } });
}

function putJob(name: string, type: string, createdAt: string, component = 'postgres-backup'): void {
  const template = { metadata: { labels: { ...labels, 'app.kubernetes.io/name': component } }, spec: {} };
  const status = { conditions: [{ type, status: 'True', message: 'it has reached its limit' }] };
  put(namespaced('apis/batch/v1', 'jobs', name), { spec: { template }, status }, { creationTimestamp: createdAt });
}

beforeEach(async () => {
  api = await startKubernetesApi();
  const release = { owner: 'helm', name: 'store', version: '1', status: 'deployed' };
  api.secrets.set('sh.helm.release.v1.store.v1', {
    metadata: { name: 'sh.helm.release.v1.store.v1', labels: release },
  });
});

it('says what works, also of objects that operators manage', async () => {
  putJob('postgres-backup-1', 'Failed', '2026-01-01T02:17:00Z');
  putJob('postgres-backup-2', 'Complete', '2026-01-02T02:17:00Z');
  putJob('postgres-restore-check-1', 'Complete', '2026-01-02T02:17:00Z', 'postgres-restore');
  const jobTemplate = { spec: { template: { metadata: { labels: { 'app.kubernetes.io/name': 'postgres-backup' } } } } };
  const times = { lastScheduleTime: '2026-01-02T02:17:00Z', lastSuccessfulTime: '2026-01-02T02:18:00Z' };
  put(namespaced('apis/batch/v1', 'cronjobs', 'postgres-backup'), { spec: { jobTemplate }, status: times });
  put(namespaced('apis/batch/v1', 'cronjobs', 'postgres-restore'), { spec: { suspend: true, jobTemplate } });
  const status = { readyInstances: 3, phase: 'Cluster in healthy state' };
  put(namespaced(cnpg, 'clusters', 'store-database'), { spec: { instances: 3 }, status });
  const template = { metadata: {}, spec: {} };
  api.deployments.push({ metadata: { name: 'store-database-pooler' }, spec: { replicas: 2, template } });
  put(namespaced(cnpg, 'poolers', 'store-database-pooler'));
  put(namespaced(strimzi, 'kafkas', 'store'), { status: ready('True') });
  put(namespaced('apis/keda.sh/v1alpha1', 'scaledobjects', 'invoice'), { status: ready('True') });
  const { count, said } = await examine();
  expect(said).toContain('ok     cronjob postgres-backup: last success 2026-01-02T02:18:00.000Z');
  expect(said).toContain('ok     cluster store-database: 3 of 3 instances ready');
  expect(said).toContain('ok     store-database-pooler: 2 of 2 ready');
  for (const what of ['kafka store', 'scaledobject invoice']) expect(said).toContain(`ok     ${what}: ready`);
  expect(said).toMatch(/\n\nNothing is wrong\.$/);
  expect(count).toBe(0);
});

it('says what is wrong with Jobs, and with objects that operators manage', async () => {
  putJob('postgres-backup-1', 'Complete', '2026-01-01T02:17:00Z');
  putJob('postgres-backup-2', 'Failed', '2026-01-02T02:17:00Z');
  const jobTemplate = { spec: { template: { metadata: { labels: { 'app.kubernetes.io/name': 'reports' } } } } };
  put(namespaced('apis/batch/v1', 'cronjobs', 'reports'), {
    spec: { jobTemplate },
    status: { lastScheduleTime: '2026-01-02T02:17:00Z' },
  });
  put(namespaced('apis/batch/v1', 'cronjobs', 'off'), { spec: { suspend: true, jobTemplate } });
  const conditions = [{ type: 'LastBackupSucceeded', status: 'False', message: 'NoSuchBucket' }];
  const status = { readyInstances: 2, phase: 'Waiting for the instances to become active', conditions };
  put(namespaced(cnpg, 'clusters', 'store-database'), { spec: { instances: 3 }, status });
  put(namespaced(cnpg, 'poolers', 'store-database-pooler'));
  put(namespaced(strimzi, 'kafkas', 'store'), { status: ready('False', 'no broker has a volume') });
  put(namespaced(strimzi, 'kafkausers', 'kafka-order'));
  put(namespaced('apis/cert-manager.io/v1', 'certificates', 'gateway'), { status: ready('False', 'challenge failed') });
  put(namespaced('apis/keda.sh/v1alpha1', 'scaledobjects', 'invoice'), { status: ready('False', 'no Prometheus') });
  const { count, said } = await examine();
  for (const line of [
    'job postgres-backup-2 has failed: it has reached its limit',
    'cronjob reports: its run of 2026-01-02T02:17:00.000Z has not succeeded',
    'cronjob off is suspended',
    'cluster store-database: 2 of 3 instances ready. Waiting for the instances to become active',
    'cluster store-database could not make its last backup: NoSuchBucket',
    'pooler store-database-pooler has no Deployment',
    'kafka store is not ready: no broker has a volume',
    'kafkauser kafka-order is not ready: its operator has not handled it',
    'certificate gateway is not ready: challenge failed',
    'scaledobject invoice is not ready: no Prometheus',
  ])
    expect(said).toContain(`WRONG  ${line}\n`);
  expect(said).toMatch(/\n\n10 things are wrong\.$/);
  expect(count).toBe(10);
});

it('says how to go on with an unfinished restore, instead of how to scale', async () => {
  const template = { metadata: {}, spec: {} };
  const annotations = { 'store/replicas-before-restore': '2' };
  api.deployments.push({ metadata: { name: 'order', annotations }, spec: { replicas: 0, template } });
  const paused = { annotations: { 'store/paused-replicas-before-restore': '' } };
  put(namespaced('apis/keda.sh/v1alpha1', 'scaledobjects', 'invoice'), { status: ready('True') }, paused);
  const { said } = await examine();
  const remedy = 'make restore goes on with the restore; make restore ARGS=--start starts everything without it';
  expect(said).toContain(`WRONG  order: stopped by a restore\n       ${remedy}`);
  expect(said).toContain(`WRONG  scaledobject invoice is paused by a restore\n       ${remedy}`);
});

it.each(['postgres', 'store-databases'])('reports an unfinished rotation of passwords noted in %s', async (name) => {
  const items = [{ key: 'order', path: 'url' }];
  const volumes = [{ projected: { sources: [{ secret: { name: 'store-databases', items } }] } }];
  const template = { metadata: {}, spec: { containers: [{ name: 'order' }], volumes } };
  api.deployments.push({ metadata: { name: 'order' }, spec: { replicas: 1, template } });
  const data = { order: btoa('postgresql://order:secret@store-database-rw:5432/order') };
  api.secrets.set('store-databases', { metadata: { name: 'store-databases' }, data });
  const annotations = { 'store/next-database-roles': 'order.b status.b' };
  api.secrets.set(name, { metadata: { name, annotations }, data });
  const { count, said } = await examine();
  const what = `WRONG  Secret ${name}: the rotation to the roles order.b status.b is not finished`;
  expect(said).toContain(`${what}\n       make rotate-password finishes it`);
  expect(count).toBe(1);
});

it('counts a kind that it may not list as wrong', async () => {
  put(namespaced(strimzi, 'kafkas', 'store'), { status: ready('True') });
  api.hooks.refuse = (request) => request.includes('/kafkas');
  const { count, said } = await examine();
  expect(said).toContain('WRONG  kafkas: not checked');
  expect(count).toBe(1);
});

it('gives a hint if it may not read the release, and counts a Secret that it may not read as wrong', async () => {
  const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: 'own', key: 'x' } } }];
  const template = { metadata: {}, spec: { containers: [{ name: 'order', env }] } };
  api.deployments.push({ metadata: { name: 'order' }, spec: { replicas: 1, template } });
  api.hooks.refuse = (request) => request.includes('/secrets');
  const { count, said } = await examine();
  expect(said).toContain(
    '-      release store: not checked, since this command may not list Secrets; helm -n store status store shows',
  );
  expect(said).toContain('-      Secret postgres: not checked, since this command may not read it');
  expect(said).toContain('WRONG  Secret own: not checked\n       this command has no right to read it');
  expect(count).toBe(1);
});

describe('autoscalers', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const condition = (type: string, status: string, reason = '', message = reason, minutes = 60) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: minutesAgo(minutes),
  });
  const able = condition('AbleToScale', 'True');
  const active = condition('ScalingActive', 'True');
  const atMaximum = (minutes: number) => condition('ScalingLimited', 'True', 'TooManyReplicas', '', minutes);

  function putAutoscaler(name: string, conditions: object[], metadata: object = {}): void {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const status = { currentReplicas: 4, desiredReplicas: 4, conditions };
    put(
      namespaced('apis/autoscaling/v2', 'horizontalpodautoscalers', name),
      { spec: { scaleTargetRef, maxReplicas: 4 }, status },
      metadata,
    );
  }

  it('are fine while they scale, at their maximum for some minutes, or if somebody has scaled to nothing', async () => {
    putAutoscaler('order', [able, active, atMaximum(5)]);
    putAutoscaler('product', [able, active, condition('ScalingLimited', 'True', 'TooFewReplicas')]);
    putAutoscaler('status', [able, condition('ScalingActive', 'False', 'ScalingDisabled')]);
    putAutoscaler('stranger', [condition('AbleToScale', 'False', 'FailedGetScale')], { labels: {} });
    const { count, said } = await examine();
    expect(said).toContain('ok     autoscaler order: 4 of at most 4, wants 4');
    expect(said).not.toContain('stranger');
    expect(count).toBe(0);
  });

  it('are wrong if they are at their maximum for long, or have no metrics, no target or no controller', async () => {
    putAutoscaler('order', [able, active, atMaximum(31)]);
    putAutoscaler('product', [
      able,
      condition('ScalingActive', 'False', 'FailedGetResourceMetric', 'no metrics returned'),
    ]);
    putAutoscaler('status', [condition('AbleToScale', 'False', 'FailedGetScale', 'deployments "status" not found')]);
    putAutoscaler('auth', []);
    const { count, said } = await examine();
    for (const line of [
      /autoscaler order has wanted more than its maximum of 4 since \S+Z\n {7}raise autoscaling\.maxReplicas of order/,
      /autoscaler product does not know the load: no metrics returned\n.*metrics-server/,
      /autoscaler status does not find Deployment status: deployments "status" not found\n/,
      /autoscaler auth: no controller has handled it\n/,
    ])
      expect(said).toMatch(line);
    expect(count).toBe(4);
  });

  it('are wrong if they may not be listed', async () => {
    api.hooks.refuse = (request) => request.includes('/horizontalpodautoscalers');
    expect((await examine()).said).toContain('WRONG  autoscalers: not checked');
  });
});
