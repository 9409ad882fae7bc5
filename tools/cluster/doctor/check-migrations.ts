import { readFile } from 'node:fs/promises';
import type { V1Deployment } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { evaluate, isReady, podsOf } from '../pods.ts';
import { nameOf, variableOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Checks that every database has the migrations in the image of its service. */
export async function checkMigrations(cluster: Cluster, deployments: V1Deployment[]): Promise<Finding[]> {
  const program = await readFile(new URL('missing-migrations.mjs', import.meta.url), 'utf8');
  const users = deployments.filter((one) => variableOf(one, 'DATABASE_URL'));
  return Promise.all(users.map((one) => checkDeployment(cluster, nameOf(one), program)));
}

async function checkDeployment(cluster: Cluster, name: string, program: string): Promise<Finding> {
  const pods = await podsOf(cluster, name);
  const pod = pods.find(isReady) ?? pods.find(({ status }) => status?.containerStatuses?.[0]?.state?.running);
  if (!pod) return wrong(`migrations of ${name}: unknown`, 'none of its pods is running');
  try {
    const { count, missing } = await evaluate<{ count: number; missing: string[] }>(cluster, pod, program);
    if (missing.length === 0) return ok(`migrations of ${name}: all ${count} applied`);
    return wrong(
      `migrations of ${name}: ${missing.join(', ')} not applied`,
      `it applies them when it starts: kubectl -n ${cluster.namespace} logs ${nameOf(pod)}`,
    );
  } catch (error) {
    return wrong(
      `migrations of ${name}: ${(error as Error).message}`,
      'is its database running, and the URL in its Secret right?',
    );
  }
}
