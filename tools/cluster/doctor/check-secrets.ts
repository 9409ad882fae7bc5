import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { databaseUrl } from '../../../services/shared/src/database/config.ts';
import { type Cluster, orUndefined } from '../api.ts';
import { keysProblem, nextAnnotation, readKeys, secretNameOf } from '../jwt-keys.ts';
import { nameOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Every Secret that a container is given something from: is it there, with that key, and of the right form? Nothing is printed. */
export async function checkSecrets({ core, namespace }: Cluster, deployments: V1Deployment[]): Promise<Finding[]> {
  const wanted = new Map<string, Map<string, string>>();
  for (const deployment of deployments) {
    for (const { env = [] } of deployment.spec?.template.spec?.containers ?? []) {
      for (const { name: variable, valueFrom } of env) {
        const { name, key, optional } = valueFrom?.secretKeyRef ?? {};
        if (name && key && !optional) wanted.set(name, (wanted.get(name) ?? new Map()).set(key, variable));
      }
    }
  }
  const jwt = deployments.map((one) => nameOf(one) === 'auth' && secretNameOf(one)).find(Boolean);
  const findings: Finding[] = [];
  for (const [name, keys] of wanted) {
    const secret = await core.readNamespacedSecret({ name, namespace }).catch(orUndefined);
    const problem = secret ? problemOf(secret, keys, name === jwt) : 'it is missing';
    const todo =
      name === 'store-jwt' || name === 'databases'
        ? 'make deploy makes what is missing'
        : `kubectl -n ${namespace} edit secret ${name}`;
    if (problem) findings.push(wrong(`Secret ${name}: ${problem}`, todo));
    else findings.push(ok(`Secret ${name}: ${[...keys.keys()].sort().join(', ')}`));
    const next = secret?.metadata?.annotations?.[nextAnnotation];
    if (next)
      findings.push(
        wrong(`Secret ${name}: the rotation to key ${next} is not finished`, 'make rotate-key finishes it'),
      );
  }
  return findings;
}

function problemOf(secret: V1Secret, keys: Map<string, string>, isJwt: boolean): string | undefined {
  for (const [key, variable] of keys) {
    const value = Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
    if (value === '') return `${key} is missing or empty`;
    if (variable === 'DATABASE_URL' && !databaseUrl.safeParse(value).success)
      return `${key} is no URL like postgresql://role:password@host:port/database`;
  }
  return isJwt ? keysProblem(readKeys(secret)) : undefined;
}
