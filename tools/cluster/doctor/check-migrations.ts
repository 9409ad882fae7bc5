import { readFile } from 'node:fs/promises';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { ask, exec, isReady, podsOf } from '../pods.ts';
import { nameOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

interface Topics {
  partitions: number;
  replicas: number;
  minInsyncReplicas: number;
  retentionMs: number;
}

/** The settings are null where the service's user may not see them. */
interface FoundTopic extends Pick<Topics, 'partitions' | 'replicas'> {
  topic: string;
  minInsyncReplicas: number | null;
  retentionMs: number | null;
  leaderless: number;
  messages: number;
}

interface KafkaReport {
  topics: FoundTopic[];
  groups: { groupId: string; members: number; lag: number }[];
}

async function runInside<T>(cluster: Cluster, pod: V1Pod, script: string, ...args: string[]): Promise<T> {
  const text = await readFile(new URL(`${script}`, import.meta.url), 'utf8');
  return JSON.parse(await exec(cluster, pod, ['node', '--input-type=module', '--eval', text, ...args]));
}

const reads = (deployment: V1Deployment, variable: string) =>
  deployment.spec?.template.spec?.containers.flatMap(({ env = [] }) => env).find(({ name }) => name === variable);

async function runningPod(cluster: Cluster, deployment: V1Deployment): Promise<V1Pod | undefined> {
  const pods = await podsOf(cluster, nameOf(deployment));
  return pods.find(isReady) ?? pods.find(({ status }) => status?.containerStatuses?.[0]?.state?.running);
}

/** Has every database what the image of its service brings? */
export async function checkMigrations(cluster: Cluster, deployments: V1Deployment[]): Promise<Finding[]> {
  const withDatabase = deployments.filter((one) => reads(one, 'DATABASE_URL'));
  const findings = withDatabase.map(async (deployment): Promise<Finding> => {
    const name = nameOf(deployment);
    const pod = await runningPod(cluster, deployment);
    if (!pod) return wrong(`migrations of ${name}: unknown`, 'no pod of it runs that could be asked');
    try {
      const { count, missing } = await runInside<{ count: number; missing: string[] }>(
        cluster,
        pod,
        'missing-migrations.mjs',
      );
      if (missing.length === 0) return ok(`migrations of ${name}: all ${count} applied`);
      return wrong(
        `migrations of ${name}: ${missing.join(', ')} not applied`,
        `it applies them when it starts: kubectl -n ${cluster.namespace} logs ${nameOf(pod)}`,
      );
    } catch (error) {
      return wrong(
        `migrations of ${name}: ${(error as Error).message}`,
        'is its database up, and the URL in its Secret right?',
      );
    }
  });
  return Promise.all(findings);
}

/** Are the topics there as the values want them, and does every group read? */
export async function checkKafka(cluster: Cluster, deployments: V1Deployment[], wanted: Topics): Promise<Finding[]> {
  const consumers = deployments.filter((one) => reads(one, 'KAFKA_BROKERS'));
  const running = await Promise.all(consumers.map(async (one) => ({ one, pod: await runningPod(cluster, one) })));
  const askable = running.flatMap(({ one, pod }) => (pod ? [{ one, pod }] : []));
  const [first] = askable;
  if (!first) return [wrong('topics: unknown', 'no pod that reads events runs and could be asked')];
  // With a login each may look at its own group only.
  const login = reads(first.one, 'KAFKA_USERNAME') !== undefined;
  const askers = login ? askable : [first];
  try {
    const reports = await Promise.all(
      askers.map(({ one, pod }) => {
        const groups = login ? [groupOf(one)] : consumers.map(groupOf);
        return runInside<KafkaReport>(cluster, pod, 'inside/kafka.mjs', ...groups);
      }),
    );
    const groups = reports.flatMap(({ groups }) => groups).sort((a, b) => a.groupId.localeCompare(b.groupId));
    return [...checkTopics(reports[0] as KafkaReport, wanted, cluster.namespace), ...groups.map(checkGroup)];
  } catch (error) {
    const brokers = reads(first.one, 'KAFKA_BROKERS')?.value;
    return [
      wrong(`Kafka at ${brokers}: ${(error as Error).message}`, 'is it up, and global.kafka.bootstrapServers right?'),
    ];
  }
}

const groupOf = (deployment: V1Deployment) =>
  reads(deployment, 'CONSUMER_GROUP')?.value ?? `${nameOf(deployment).replace('worker', '')}-group`;

function checkTopics({ topics }: KafkaReport, wanted: Topics, namespace: string): Finding[] {
  return ['order-events', 'order-events-dlq'].map((name) => {
    const topic = topics.find((one) => one.topic === name);
    if (!topic)
      return wrong(
        `topic ${name} is missing`,
        `kubectl -n ${namespace} delete job -l app.kubernetes.io/name=store-topics, then make deploy`,
      );
    const isForLetters = name.endsWith('dlq');
    const retentionMs = isForLetters ? -1 : wanted.retentionMs;
    const kept = topic.retentionMs === null ? '' : `${keptFor(topic.retentionMs)}, `;
    const what = `topic ${name}: ${topic.partitions} partitions, replicas: ${topic.replicas}, ${kept}${topic.messages} messages`;
    const problems = [
      topic.leaderless > 0 && `${topic.leaderless} partitions have no leader: is a broker down?`,
      topic.partitions < wanted.partitions && `the values want ${wanted.partitions} partitions`,
      topic.replicas < wanted.replicas && `the values want ${wanted.replicas} replicas`,
      topic.minInsyncReplicas !== null &&
        topic.minInsyncReplicas !== wanted.minInsyncReplicas &&
        `min.insync.replicas is ${topic.minInsyncReplicas}, the values want ${wanted.minInsyncReplicas}`,
      topic.retentionMs !== null && topic.retentionMs !== retentionMs && `the values want retention.ms=${retentionMs}`,
    ].filter(Boolean);
    return problems.length === 0
      ? ok(what)
      : wrong(what, `${problems.join('; ')}. Existing topics are changed with Kafka's own tools`);
  });
}

const keptFor = (ms: number) => (ms < 0 ? 'kept for ever' : `kept ${ms / 86_400_000} days`);

const checkGroup = ({ groupId, members, lag }: KafkaReport['groups'][number]): Finding =>
  members > 0
    ? ok(`${groupId}: ${members} reading, ${lag} events behind`)
    : wrong(`${groupId}: nobody reads, ${lag} events behind`, `is its Deployment there and ready?`);

/** Does the gateway answer those who come to it? */
export async function checkGateway(cluster: Cluster): Promise<Finding> {
  const pod = (await podsOf(cluster, 'gateway')).find(isReady);
  if (!pod)
    return wrong(
      'gateway: no copy is ready',
      `kubectl -n ${cluster.namespace} describe pod -l app.kubernetes.io/name=gateway`,
    );
  const port = pod.spec?.containers[0]?.ports?.find(({ name }) => name === 'http')?.containerPort ?? 8080;
  const { status } = await ask(cluster, pod, port, '/health-check').catch(() => ({ status: 0 }));
  if (status === 200) return ok('gateway: answers /health-check');
  return wrong(
    `gateway: /health-check is answered with ${status || 'nothing'}`,
    `kubectl -n ${cluster.namespace} logs ${nameOf(pod)}`,
  );
}
