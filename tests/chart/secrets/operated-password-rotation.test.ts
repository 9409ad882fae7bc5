import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPool } from '@store/shared/database/connection';
import { rotateOperatedPasswords, secretOfRole } from '../../../tools/cluster/rotation/operated-passwords.ts';
import { nextAnnotation } from '../../../tools/cluster/rotation/roles.ts';
import { rotatePassword } from '../../../tools/cluster/rotation/rotate-password.ts';
import { textOf } from '../../../tools/cluster/secrets.ts';
import { useFolder } from '../../kit/folder.ts';
import { runInCluster } from '../../kit/kubernetes/cluster-command.ts';
import { startKubernetesApi } from '../../kit/kubernetes/kubernetes-api.ts';
import { queryOnce } from '../../kit/postgres/database.ts';

// make rotate-password for CloudNativePG, with a fake API server, and a fake operator that sets passwords of roles in a real
// PostgreSQL. tests/cluster uses the real operator.

const dir = useFolder();
const base = new URL(process.env.TEST_DATABASE_URL ?? '');
const ask = (sql: string) => queryOnce<Record<string, unknown>>(base.href, sql);
const suffix = randomBytes(4).toString('hex');
const databases = [`first_${suffix}`, `second_${suffix}`];
const [first = ''] = databases;
const roles = [...databases, ...databases.map((name) => `${name}.b`)];
const clusterPath = '/apis/postgresql.cnpg.io/v1/namespaces/store/clusters/store-database';

let api: Awaited<ReturnType<typeof startKubernetesApi>>;
const secretText = (name: string, key: string) => textOf(api.secrets.get(name) ?? {}, key);
const urlOf = (database: string) => new URL(secretText('store-databases', database));
/** The URL in the Secret, but with the host of the tests' PostgreSQL. */
const reachable = (url: URL) => Object.assign(new URL(url), { host: base.host }).href;

/** What the operator does on each read of its Cluster, unless it is still busy. */
async function operate(): Promise<void> {
  const cluster = api.objects.get(clusterPath);
  if (typeof cluster !== 'object') throw new Error('There is no Cluster.');
  const passwordStatus: Record<string, object> = {};
  for (const role of roles) {
    const secret = api.secrets.get(secretOfRole(role));
    await ask(`alter role "${role}" login password '${textOf(secret ?? {}, 'password')}'`);
    passwordStatus[role] = { resourceVersion: secret?.metadata.resourceVersion };
  }
  cluster.status = { managedRolesStatus: { passwordStatus } };
}

let operating: Promise<void> | undefined;
function startOperator(): void {
  operating ??= operate().finally(() => {
    operating = undefined;
  });
}

beforeEach(async () => {
  for (const name of databases) {
    await ask(`create role "${name}" login`);
    await ask(`create role "${name}.b" login in role "${name}"`);
    await ask(`create database "${name}" owner "${name}"`);
  }
  const volumes = [{ projected: { sources: [{ secret: { name: 'store-databases', items: [] } }] } }];
  const template = { metadata: {}, spec: { containers: [{ name: 'order' }], volumes } };
  api = await startKubernetesApi([{ metadata: { name: 'order', generation: 1 }, spec: { replicas: 1, template } }]);
  const managed = { roles: roles.map((name) => ({ name, passwordSecret: { name: secretOfRole(name) } })) };
  api.objects.set(clusterPath, { metadata: { name: 'store-database' }, spec: { managed } });
  api.objects.set('/api/v1/namespaces/store/pods/order-1', {
    metadata: { name: 'order-1' },
    status: { phase: 'Running' },
  });
  const put = (name: string, data: Record<string, string>) =>
    api.secrets.set(name, { metadata: { name, resourceVersion: `first-${name}` }, data });
  for (const role of roles) put(secretOfRole(role), { username: btoa(role), password: btoa(`old-${role}`) });
  const urls = databases.map((name) => [name, btoa(`postgresql://${name}:old-${name}@store-database-rw:5432/${name}`)]);
  put('store-databases', Object.fromEntries(urls));
  await operate();
});

afterEach(async () => {
  await operating;
  for (const name of databases) await ask(`drop database "${name}" with (force)`);
  for (const role of roles.toReversed()) await ask(`drop role "${role}"`);
});

/** @param interrupt throws before the request that must not arrive */
async function rotate(interrupt: (request: string) => void = () => undefined): Promise<string> {
  api.hooks.before = (request) => {
    const [path = ''] = request.split('?');
    interrupt(path);
    for (const name of databases) writeFileSync(join(dir, name), reachable(urlOf(name)));
    if (path.endsWith('/clusters')) startOperator();
  };
  const { said } = await runInCluster(api.kubeconfig, dir, (cluster) => rotatePassword(cluster));
  return said;
}

/** Logs in for each query, like services that keep opening connections. @returns the failures */
async function underLoad(work: () => Promise<void>): Promise<string[]> {
  for (const name of databases) writeFileSync(join(dir, name), reachable(urlOf(name)));
  const pools = databases.map((name) =>
    createPool({ connectionString: pathToFileURL(join(dir, name)).href, max: 1, maxUses: 1 }),
  );
  const failures: string[] = [];
  const requests = { count: 0, isDone: false };
  const loads = pools.map(async (pool) => {
    while (!requests.isDone) {
      await pool.query('select 1').catch((error: Error) => failures.push(error.message));
      requests.count += 1;
    }
  });
  await work();
  requests.isDone = true;
  await Promise.all(loads);
  await Promise.all(pools.map((pool) => pool.end()));
  // A busy machine may only manage a few logins.
  expect(requests.count).toBeGreaterThan(10);
  return failures;
}

const isRefused = async (url: URL) => {
  await expect(queryOnce(reachable(url), 'select 1')).rejects.toMatchObject({ code: '28P01' });
};

it('changes to the other role and back, replaces every password, and fails no login', async () => {
  const before = urlOf(first);
  const failures = await underLoad(async () => {
    const said = await rotate();
    expect(said).toMatch(/^1 of 3[\s\S]*Done\./);
    for (const role of roles) expect(said).not.toContain(secretText(secretOfRole(role), 'password'));
  });
  expect(failures).toEqual([]);
  const second = urlOf(first);
  expect(second.username).toBe(`${first}.b`);
  await isRefused(before);
  await queryOnce(reachable(second), 'create table made (n int)');
  const owner = "select tableowner::text as owner from pg_tables where tablename = 'made'";
  expect(await queryOnce(reachable(second), owner)).toEqual([{ owner: first }]);
  for (const role of roles) {
    expect(secretText(secretOfRole(role), 'password')).not.toBe(`old-${role}`);
    expect(api.secrets.get(secretOfRole(role))?.metadata.labels).toHaveProperty(['cnpg.io/reload'], 'true');
  }
  expect(await rotate()).toContain('Done.');
  expect(urlOf(first).href).toMatch(`postgresql://${first}:`);
  expect(urlOf(first).search).toBe('');
  await isRefused(second);
  await queryOnce(reachable(urlOf(first)), 'drop table made');
});

it.each([
  ['PUT', 'store-databases', 1],
  ['PUT', secretOfRole(`${first}.b`), 1],
  ['PUT', secretOfRole(`${databases[1]}.b`), 1],
  ['PUT', 'store-databases', 2],
  ['PATCH', 'order', 1],
  ['PUT', secretOfRole(first), 1],
  ['PUT', 'store-databases', 3],
])('resumes after an interruption before %s of %s, time %i', async (method, name, time) => {
  const failures = await underLoad(async () => {
    let seen = 0;
    const said = await rotate((request) => {
      if (request.startsWith(method) && request.endsWith(`/${name}`)) seen += 1;
      if (seen === time) throw new Error('interrupted');
    });
    expect(said).not.toContain('Done.');
    expect(await rotate()).toContain('Done.');
  });
  expect(failures).toEqual([]);
  expect(urlOf(first).username).toBe(`${first}.b`);
  expect(api.secrets.get('store-databases')?.metadata.annotations).not.toHaveProperty([nextAnnotation]);
  for (const role of roles) expect(secretText(secretOfRole(role), 'password')).not.toBe(`old-${role}`);
});

it('reports what the operator could not do while it waits', async () => {
  const cluster = api.objects.get(clusterPath) as { status?: object };
  api.hooks.before = () => {
    cluster.status = { managedRolesStatus: { cannotReconcile: { [`${first}.b`]: ['role "poets" does not exist'] } } };
  };
  const { said } = await runInCluster(api.kubeconfig, dir, (one) => rotateOperatedPasswords(one, 1));
  expect(said).toContain('did not apply the new passwords within 1 s (role "poets" does not exist)');
});

it.each([
  [
    'another PostgreSQL',
    'postgresql://order:a@db.example.com:5432/order',
    /leads to db\.example\.com: change its password there/,
  ],
  [
    'your own role',
    `postgresql://order_2:a@store-database-rw:5432/${first}`,
    /logs in as order_2: first change it to log in as first_/,
  ],
])('refuses a URL of %s before it changes anything', async (_, url, problem) => {
  const { data = {} } = api.secrets.get('store-databases') ?? {};
  data[first] = btoa(url);
  expect(await rotate()).toMatch(problem);
  expect(api.requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
});

it('refuses a release whose Cluster has only one role for each database', async () => {
  const spec = { managed: { roles: [{ name: first, passwordSecret: { name: secretOfRole(first) } }] } };
  api.objects.set(clusterPath, { metadata: { name: 'store-database' }, spec });
  expect(await rotate()).toBe(
    `The Cluster store-database has no role ${first}.b, which older releases lack: upgrade the release first`,
  );
});
