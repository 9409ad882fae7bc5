// Keeps the number of replicas of each Deployment in DEPLOYMENTS, which an autoscaler sets. If the manifest had the number until now,
// a server-side apply without it would fall back to one replica. So this owns the field too, until the autoscaler sets another number.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership
import { readFile } from 'node:fs/promises';

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, NAMESPACE, DEPLOYMENTS, TOKEN_FILE } = process.env;
const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
const deployments = `${server}/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const authorization = `Bearer ${await readFile(TOKEN_FILE, 'utf8')}`;

async function ask(method, name, body) {
  const answer = await fetch(`${deployments}/${name}?fieldManager=store-replicas`, {
    method,
    headers: { authorization, 'content-type': 'application/apply-patch+yaml' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: answer.status, object: await answer.json() }; // an error has a message
}

async function keep(name) {
  const { status, object } = await ask('GET', name);
  if (status === 404) return `${name}: does not exist yet`;
  if (status !== 200) throw new Error(`GET deployments/${name}: ${status} ${object.message}`);
  const { replicas } = object.spec;
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { replicas } };
  const kept = await ask('PATCH', name, body);
  if (kept.status === 409) return `${name}: somebody else is setting its replicas`;
  if (kept.status !== 200) throw new Error(`PATCH deployments/${name}: ${kept.status} ${kept.object.message}`);
  return `${name}: keeps ${replicas}`;
}

try {
  for (const name of JSON.parse(DEPLOYMENTS)) console.log(await keep(name));
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exit(1);
}
