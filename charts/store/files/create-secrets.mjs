// Creates the missing Secrets and keys of SECRETS (name -> keys), each with a random value, and changes nothing that exists.
// A value of postgres-logins is the role that a service logs in as (at first it has the database's name), a colon and its
// password. CloudNativePG reads database-<name>, services read store-databases. If somebody else writes at the same time, the
// conflict fails this run, and the Job tries again.
// https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, NAMESPACE, SECRETS, TOKEN_FILE } = process.env;
const secrets = `https://${host.includes(':') ? `[${host}]` : host}:${port}/api/v1/namespaces/${NAMESPACE}/secrets`;
const token = await readFile(TOKEN_FILE, 'utf8');
// Helm deletes an object that was in the manifest of an earlier release, unless it has this annotation.
const kept = { 'helm.sh/resource-policy': 'keep' };

async function ask(method, name, type, body) {
  const answer = await fetch(`${secrets}${name}?fieldManager=store-secrets`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (method === 'GET' && answer.status === 404) return undefined;
  const { message, ...object } = await answer.json(); // an error has a message and no value
  if (!answer.ok) throw new Error(`${method} secrets${name}: ${answer.status} ${message}`);
  return object;
}

const base64 = (text) => Buffer.from(text).toString('base64');
// base64url, because passwords are used in URLs. Keys may be in either alphabet.
const random = () => base64(randomBytes(32).toString('base64url'));

async function passwordIn(name, key) {
  const { data } = await ask('GET', `/${name}`);
  return Buffer.from(data[key], 'base64');
}

async function valueFor(name, key) {
  if (name === 'postgres-logins') return base64(`${key}:${await passwordIn('postgres', key)}`);
  if (name === 'store-databases') {
    const password = await passwordIn(`database-${key}`, 'password');
    return base64(`postgresql://${key}:${password}@store-database-rw:5432/${key}`);
  }
  return key === 'username' ? base64(name.replace('database-', '')) : random();
}

async function ensure(name, keys) {
  const found = await ask('GET', `/${name}`);
  const missing = keys.filter((key) => !found?.data?.[key]);
  const data = {};
  for (const key of missing) data[key] = await valueFor(name, key);
  if (!found) {
    if (keys.length === 0) return `${name}: absent`;
    // No app.kubernetes.io/instance: by that label Argo CD may take the Secret for a part of the release, and prune it.
    const isRole = keys.includes('username');
    // With cnpg.io/reload CloudNativePG follows changes at once.
    const labels = { 'app.kubernetes.io/part-of': 'store', ...(isRole && { 'cnpg.io/reload': 'true' }) };
    const metadata = { name, labels, annotations: kept };
    const type = isRole ? 'kubernetes.io/basic-auth' : 'Opaque';
    await ask('POST', '', 'application/json', { apiVersion: 'v1', kind: 'Secret', type, metadata, data });
  } else if (missing.length > 0 || found.metadata.annotations?.['helm.sh/resource-policy'] !== 'keep') {
    // With resourceVersion this fails, instead of overwriting a key that somebody has added meanwhile.
    const metadata = { resourceVersion: found.metadata.resourceVersion, annotations: kept };
    await ask('PATCH', `/${name}`, 'application/merge-patch+json', { metadata, data });
  }
  return `${name}: ${missing.length > 0 ? `created ${missing.join(', ')}` : 'complete'}`;
}

try {
  for (const [name, keys] of Object.entries(JSON.parse(SECRETS))) console.log(await ensure(name, keys));
} catch (error) {
  console.error(error.cause?.message ?? error.message);
  process.exit(1);
}
