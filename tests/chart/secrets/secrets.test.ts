import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Container } from '@kubernetes/client-node';
import { execa } from 'execa';
import { secretProblem } from '../../../services/shared/src/auth/token-keys.ts';
import { databaseUrl } from '../../../services/shared/src/database/config.ts';
import { valuesFiles } from '../../../tools/chart/render.ts';
import { containersOf } from '../../../tools/cluster/rollout.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { useFolder } from '../../kit/folder.ts';
import { startKubernetesApi } from '../../kit/kubernetes/kubernetes-api.ts';
import { type Manifest, manifests } from '../_manifests.ts';

// No manifest has keys or passwords (docs/decisions/0019). These tests run the Job's program against a fake API server;
// tests/cluster runs it on a real cluster.

const jobOf = async (values: object) => (await manifests(values)).one('Job', 'store-secrets');

describe('the Job that creates Secrets', () => {
  it('is left out if nothing is generated', async () => {
    const ownSecrets = {
      console: { secrets: { CONSOLE_TOKEN: { secret: 'of-yours', key: 'token' } } },
      webhook: { secrets: { WEBHOOK_KEYS: { secret: 'of-yours', key: 'keys' } } },
    };
    const { one } = await manifests(ownSecrets, valuesFiles.prod);
    const containers = one('Job', 'store-secrets').spec.template.spec.containers;
    expect(containers.map(({ name }: { name: string }) => name)).toEqual(['replicas']);
    const autoscaled = ['account', 'auth', 'gateway', 'order', 'product', 'status'];
    expect(one('Role', 'store-secrets').rules).toEqual([
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'], resourceNames: autoscaled },
    ]);
    const fixed = Object.fromEntries(autoscaled.map((name) => [name, { autoscaling: { enabled: false } }]));
    expect(
      (await manifests({ ...fixed, ...ownSecrets }, valuesFiles.prod)).one('Job', 'store-secrets'),
    ).toBeUndefined();
  });

  it('has another name if its work changes, because a Job cannot be changed', async () => {
    const { name } = (await jobOf({})).metadata;
    expect(name).toMatch(/^store-secrets-[0-9a-f]{8}$/);
    const image = (values: object) => ({ global: { image: values } });
    const others = [image({ tag: '9' }), image({ pullSecrets: [{ name: 'registry' }] })];
    for (const values of [...others, { postgres: { databases: ['reports'] } }])
      expect((await jobOf(values)).metadata.name).not.toBe(name);
  });
});

describe('the program of the Job', () => {
  const dir = useFolder();
  let api: Awaited<ReturnType<typeof startKubernetesApi>>;
  beforeEach(async () => {
    api = await startKubernetesApi();
    await writeFile(join(dir, 'token'), api.token);
    await writeFile(join(dir, 'ca.crt'), api.ca);
  });

  /** Runs a container of the Job as a process. */
  async function run(values: object = {}, env: Record<string, string> = {}, step = 'secrets') {
    const { containers } = (await jobOf(values)).spec.template.spec;
    const container = containers.find(({ name }: { name: string }) => name === step);
    const given = container.env.map(({ name, value }: { name: string; value: string }) => [
      name,
      value.replace('/var/run/secrets/kubernetes.io/serviceaccount', dir),
    ]);
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const apiServer = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(api.port) };
    const [file, ...args] = container.command;
    const { exitCode, all } = await execa(file, args, {
      env: { ...inherited, ...Object.fromEntries(given), ...apiServer, ...env },
      extendEnv: false,
      all: true,
      reject: false,
    });
    return { exitCode, all };
  }

  const dataOf = (name: string) => api.secrets.get(name)?.data ?? {};
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const keep = { 'helm.sh/resource-policy': 'keep' };

  it('creates a key that auth accepts, and a URL-safe password for each database', async () => {
    expect((await run()).exitCode).toBe(0);
    expect([...api.secrets.keys()].sort()).toEqual([
      'postgres',
      'postgres-logins',
      'store-console',
      'store-jwt',
      'store-webhooks',
    ]);
    const { JWT_SECRET_KEY = '', ...others } = dataOf('store-jwt');
    expect(others).toEqual({});
    expect(secretProblem(atob(JWT_SECRET_KEY))).toBeUndefined();
    expect(Object.keys(dataOf('postgres')).sort()).toEqual([...topology.databases, 'postgres'].sort());
    const passwords = Object.values(dataOf('postgres')).map(atob);
    expect(new Set(passwords).size).toBe(passwords.length);
    for (const password of passwords) {
      expect(password).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(databaseUrl.parse(`postgresql://a:${password}@postgres:5432/a`)).toContain(password);
    }
    const logins = topology.databases.map((name) => [name, base64(`${name}:${atob(dataOf('postgres')[name] ?? '')}`)]);
    expect(dataOf('postgres-logins')).toEqual(Object.fromEntries(logins));
  });

  it('creates a login and a URL for each database, for CloudNativePG and the services', async () => {
    const externalDatabase = { existingSecret: 'store-databases', caSecret: 'store-database-ca' };
    const cloudnativePg = { enabled: true };
    const values = { postgres: { enabled: false }, database: { cloudnativePg }, global: { externalDatabase } };
    expect((await run(values)).exitCode).toBe(0);
    expect(Object.keys(dataOf('store-databases')).sort()).toEqual(topology.databases.toSorted());
    for (const name of topology.databases) {
      const { username = '', password = '' } = dataOf(`database-${name}`);
      expect(atob(dataOf('store-databases')[name] ?? '')).toBe(
        `postgresql://${name}:${atob(password)}@store-database-rw:5432/${name}`,
      );
      expect(atob(username)).toBe(name);
      expect(api.secrets.get(`database-${name}`)).toMatchObject({ type: 'kubernetes.io/basic-auth' });
      const second = api.secrets.get(`database-${name}.b`);
      expect(second?.metadata.labels).toHaveProperty(['cnpg.io/reload'], 'true');
      expect(atob(second?.data?.username ?? '')).toBe(`${name}.b`);
      expect(second?.data?.password).not.toBe(password);
    }
  });

  it('changes nothing that exists, and prints no value', async () => {
    const first = await run();
    const before = structuredClone([...api.secrets]);
    const second = await run();
    expect([...api.secrets]).toEqual(before);
    const complete = ['postgres', 'postgres-logins', 'store-console', 'store-jwt', 'store-webhooks'].map(
      (name) => `${name}: complete`,
    );
    expect(second).toEqual({ exitCode: 0, all: ['databases: absent', ...complete].join('\n') });
    for (const [, { data }] of before) {
      for (const value of Object.values(data ?? {})) {
        expect(first.all).not.toContain(value);
        expect(first.all).not.toContain(atob(value));
      }
    }
  });

  it('adds the password of a new database, and keeps the others and foreign entries', async () => {
    await run();
    const before = Object.assign(dataOf('postgres'), { own: base64('of somebody else') });
    const { all } = await run({ postgres: { databases: ['reports'] } });
    expect(all).toContain('postgres: created reports');
    expect(dataOf('postgres')).toEqual({ ...before, reports: expect.stringMatching(/./) });
  });

  it('keeps the Secrets in the manifest of version 0.1.0, because its pods need them', async () => {
    const had = { JWT_SECRET_KEY: base64('old'), JWT_PREVIOUS_SECRET_KEYS: base64('older') };
    api.secrets.set('store-jwt', { metadata: { name: 'store-jwt', annotations: { ...keep, other: '1' } }, data: had });
    api.secrets.set('databases', { metadata: { name: 'databases' }, data: { order: base64('url') } });
    expect((await run()).exitCode).toBe(0);
    const jwt = { metadata: { annotations: { ...keep, other: '1' } }, data: had };
    expect(api.secrets.get('store-jwt')).toMatchObject(jwt);
    const databases = { metadata: { annotations: keep }, data: { order: base64('url') } };
    expect(api.secrets.get('databases')).toMatchObject(databases);
  });

  it('overwrites no concurrent change, and succeeds on the next try', async () => {
    await run();
    api.hooks.before = (request) => {
      const secret = api.secrets.get('postgres');
      if (!request.startsWith('PATCH') || !secret) return;
      secret.data = { ...secret.data, reports: base64('of somebody else') };
      secret.metadata.resourceVersion = 'another';
    };
    const values = { postgres: { databases: ['reports'] } };
    expect(await run(values)).toEqual({
      exitCode: 1,
      all: expect.stringContaining('PATCH secrets/postgres: 409 the object has been modified'),
    });
    expect((await run(values)).exitCode).toBe(0);
    expect(dataOf('postgres').reports).toBe(base64('of somebody else'));
  });

  it("trusts only the cluster's authority, and reports what the API server refuses", async () => {
    expect(await run({}, { NODE_EXTRA_CA_CERTS: '' })).toEqual({
      exitCode: 1,
      all: expect.stringContaining('self-signed certificate'),
    });
    expect(api.requests).toEqual([]);
    await writeFile(join(dir, 'token'), 'expired');
    expect(await run()).toEqual({ exitCode: 1, all: 'GET secrets/databases: 401 Unauthorized' });
  });

  it('prints the current replicas of each autoscaled Deployment, so that they outlive their manifest', async () => {
    const autoscaling = { enabled: true };
    const values = {
      order: { autoscaling },
      invoice: { autoscaling },
      postgres: { settings: { max_connections: '800' } },
    };
    const template = { metadata: {}, spec: {} };
    api.deployments.push({ metadata: { name: 'invoice' }, spec: { replicas: 3, template } });
    const written: string[] = [];
    api.hooks.before = (request) => void written.push(request);
    expect(await run(values, {}, 'replicas')).toEqual({
      exitCode: 0,
      all: 'invoice: keeps 3\norder: does not exist yet',
    });
    const invoice = '/apis/apps/v1/namespaces/store/deployments/invoice?fieldManager=store-replicas';
    expect(written).toContain(`PATCH ${invoice}`);
    expect(api.deployments).toEqual([expect.objectContaining({ kind: 'Deployment', spec: { replicas: 3, template } })]);
    await writeFile(join(dir, 'token'), 'expired');
    expect(await run(values, {}, 'replicas')).toEqual({
      exitCode: 1,
      all: 'GET deployments/invoice: 401 Unauthorized',
    });
  });
});

it.each([
  ['with the PostgreSQL in the release', {}, []],
  ['in production', { global: { internal: { existingSecret: 'callers' } } }, valuesFiles.prod],
])('no container has a Secret in a variable: %s', async (_, values, files) => {
  const rendered = await manifests({ toolbox: { enabled: true, kafkaCommands: true }, ...values }, files);
  const fromSecrets = [...rendered.pods()].flatMap(([name, { spec }]) =>
    [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ env = [] }: V1Container) =>
      env.filter(({ valueFrom }) => valueFrom?.secretKeyRef).map((one) => `${name} ${one.name}`),
    ),
  );
  expect(fromSecrets).toEqual([]);
});

it('services get keys and credentials as files, which the commands for operators recognise as variables from Secrets', async () => {
  const rendered = await manifests({ global: { internal: { existingSecret: 'callers' } } }, valuesFiles.prod);
  const services = rendered.ofKind('Deployment').filter(({ metadata }) => metadata.name !== 'gateway');
  const fromSecrets = (containers: V1Container[]) =>
    containers.flatMap(({ env = [] }) =>
      env.filter(({ valueFrom }) => valueFrom?.secretKeyRef).map(({ name }) => name),
    );
  expect(services.flatMap(({ spec }) => fromSecrets(spec.template.spec.containers))).toEqual([]);
  const known = fromSecrets(containersOf(rendered.named('Deployment', 'auth')));
  expect(known).toEqual(expect.arrayContaining(['JWT_PRIVATE_KEY', 'INTERNAL_CREDENTIAL', 'OPERATOR_CREDENTIALS']));
  const [volume] = rendered.podOf('auth').volumes.filter(({ name }: { name: string }) => name === 'secrets');
  const pair = volume.projected.sources.find((source: Manifest) => source.secret.items[0].path === 'JWT_PRIVATE_KEY');
  expect(pair.secret).toMatchObject({ name: 'store-jwt-key', optional: true });
});
