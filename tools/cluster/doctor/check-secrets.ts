import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { databaseUrl } from '../../../services/shared/src/database/config.ts';
import { type Cluster, isStatus, orUndefined } from '../api.ts';
import { keysProblem, nextAnnotation } from '../jwt-keys.ts';
import { mountedSecretsOf, nameOf, variablesOf } from '../rollout.ts';
import { secretNameOf } from '../rotation/key-readers.ts';
import { nextAnnotation as nextRolesAnnotation } from '../rotation/roles.ts';
import { passwordsSecret } from '../rotation/rotate-password.ts';
import { textOf } from '../secrets.ts';
import { type Finding, notChecked, ok, wrong } from './findings.ts';

/** Checks every Secret from which a container gets a variable or a file: it must have a valid value. Prints no value. */
export async function checkSecrets({ core, namespace }: Cluster, deployments: V1Deployment[]): Promise<Finding[]> {
  const jwt = deployments.map((one) => nameOf(one) === 'auth' && secretNameOf(one)).find(Boolean);
  const findings: Finding[] = [];
  for (const [name, variables] of referencesOf(deployments)) {
    const secret = await core.readNamespacedSecret({ name, namespace }).catch((error) => {
      if (isStatus(error, 403)) return 'refused';
      return orUndefined(error);
    });
    if (secret === 'refused') {
      findings.push(wrong(`Secret ${name}: not checked`, 'this command has no right to read it'));
      continue;
    }
    const problem = secret ? problemOf(secret, variables, name === jwt) : 'it is missing';
    const isGenerated = ['store-jwt', 'store-console', 'store-webhooks', 'postgres-logins'].includes(name);
    const remedy = isGenerated ? 'make deploy creates what is missing' : `kubectl -n ${namespace} edit secret ${name}`;
    if (problem) findings.push(wrong(`Secret ${name}: ${problem}`, remedy));
    else findings.push(ok(`Secret ${name}: ${[...variables.keys()].sort().join(', ')}`));
    findings.push(...unfinishedRotations(secret));
  }
  return findings;
}

function unfinishedRotations(secret: V1Secret | undefined): Finding[] {
  const { name, annotations = {} } = secret?.metadata ?? {};
  const key = annotations[nextAnnotation];
  const roles = annotations[nextRolesAnnotation];
  const unfinished = (next: string) => `Secret ${name}: the rotation to ${next} is not finished`;
  return [
    ...(key ? [wrong(unfinished(`key ${key}`), 'make rotate-key finishes it')] : []),
    ...(roles ? [wrong(unfinished(`the roles ${roles}`), 'make rotate-password finishes it')] : []),
  ];
}

/** A Secret that no service reads, so checkSecrets skips it, notes the rotation of the PostgreSQL in the release. */
export async function checkPasswords({ core, namespace }: Cluster): Promise<Finding[]> {
  const name = passwordsSecret;
  try {
    return unfinishedRotations(await core.readNamespacedSecret({ name, namespace }).catch(orUndefined));
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    return [
      notChecked(
        `Secret ${name}: not checked, since this command may not read it. It notes unfinished rotations of passwords`,
      ),
    ];
  }
}

/** The required keys of each Secret, by its name, each with the variable or file that it becomes. */
export function referencesOf(deployments: V1Deployment[]): Map<string, Map<string, string>> {
  const references = new Map<string, Map<string, string>>();
  const add = (secret: string, key: string, variable: string) =>
    references.set(secret, (references.get(secret) ?? new Map()).set(key, variable));
  for (const { name: variable, valueFrom } of deployments.flatMap(variablesOf)) {
    const { name, key, optional } = valueFrom?.secretKeyRef ?? {};
    if (name && key && !optional) add(name, key, variable);
  }
  const mounted = deployments.flatMap(mountedSecretsOf).filter(({ optional }) => !optional);
  for (const { name = '', items = [] } of mounted)
    for (const { key, path } of items) add(name, key, path === 'url' ? 'DATABASE_URL' : path);
  return references;
}

function problemOf(secret: V1Secret, variables: Map<string, string>, isJwt: boolean): string | undefined {
  for (const [key, variable] of variables) {
    const value = textOf(secret, key);
    if (value === '') return `${key} is missing or empty`;
    if (variable === 'DATABASE_URL' && !databaseUrl.safeParse(value).success)
      return `${key} is not a URL like postgresql://role:password@host:port/database`;
  }
  return isJwt ? keysProblem(secret) : undefined;
}
