import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { valuesFiles } from '../../tools/chart/render.ts';
import { customKinds } from '../../tools/cluster/custom-objects.ts';
import { referencesOf } from '../../tools/cluster/doctor/check-secrets.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { type Manifests, manifests } from './_manifests.ts';

/** Verb and resource of each API call of the commands, such as `list deployments`, except {@link ofKubectl}. */
function callsOfCommands(): string[] {
  const folder = join(root, 'tools/cluster');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const commands = files.filter((file) => /\.ts$/.test(file) && !/test|commands.images/.test(file));
  const verbs: Record<string, string> = { read: 'get', replace: 'update' };
  const calls = commands.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\b([a-z]+)Namespaced(\w+)\(/g)].map(
      ([, verb = '', kind = '']) =>
        `${verbs[verb] ?? verb} ${kind === 'PodLog' ? 'pods/log' : `${kind.toLowerCase()}s`}`,
    ),
  );
  const own = calls.filter((call) => !call.includes('customobject'));
  const ofOperators = [...Object.keys(customKinds).map((plural) => `list ${plural}`), 'patch scaledobjects'];
  const all = new Set([...own, ...ofOperators, 'create pods/exec', 'get pods/exec']);
  return [...all].filter((call) => call !== ofKubectl).sort();
}

/** Left out, because the right to list Secrets is the right to read all. make doctor uses it for the release's state. */
const ofKubectl = 'list secrets';

interface Rule {
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** Rights as `verb resource`, with the names they are limited to, if any. */
function rightsIn({ named }: Manifests): Map<string, string[] | undefined> {
  const rules: Rule[] = named('Role', 'toolbox')?.rules ?? [];
  return new Map(
    rules.flatMap(({ resources, verbs, resourceNames }) =>
      resources.flatMap((resource) => verbs.map((verb) => [`${verb} ${resource}`, resourceNames] as const)),
    ),
  );
}

describe('the toolbox', () => {
  const rendered = (global: object = {}) => manifests({ toolbox: { enabled: true }, global });

  it('has exactly the rights that its commands need', async () => {
    expect([...rightsIn(await rendered()).keys()].sort()).toEqual(callsOfCommands());
  });

  it('reads only the Secrets of Deployments and those that it rotates', async () => {
    const own = { valueFrom: { secretKeyRef: { name: 'own', key: 'x' } } };
    const sources = [{ secret: { name: 'mounted', items: [{ key: 'x', path: 'x' }] } }];
    const more = { extraEnv: [{ name: 'X', ...own }], extraVolumes: [{ name: 'x', projected: { sources } }] };
    for (const [values, files] of [
      [{ order: more }, []],
      [
        { global: { internal: { existingSecret: 'callers' } }, kafka: { strimzi: { enabled: true } } },
        valuesFiles.prod,
      ],
    ] as const) {
      const all = await manifests({ toolbox: { enabled: true }, ...values }, [...(files ?? [])]);
      const rights = rightsIn(all);
      const wanted = [...referencesOf(all.ofKind('Deployment')).keys(), ...(rights.get('update secrets') ?? [])];
      expect(rights.get('get secrets')).toEqual([...new Set(wanted)].sort());
    }
  });

  it.each([
    [['capacity'], []],
    [['dlq', 'grant', 'import', 'export'], []],
    [['reconcile'], []],
    [
      ['rotate-key'],
      ['get deployments', 'get secrets', 'list deployments', 'list pods', 'patch deployments', 'update secrets'],
    ],
  ])('has only the rights that %j need', async (commands, expected) => {
    const all = await manifests({
      toolbox: { enabled: true, commands },
      global: { internal: { existingSecret: 'internal' } },
    });
    expect([...rightsIn(all).keys()].sort()).toEqual(expected);
    expect(all.podOf('toolbox').automountServiceAccountToken).toBe(expected.length > 0);
    const calls = commands.includes('dlq') || commands.includes('reconcile');
    expect(all.envOf('toolbox').some(({ name }) => name === 'OPERATOR_CREDENTIAL_FILE')).toBe(calls);
    const { egress } = all.named('NetworkPolicy', 'toolbox').spec;
    expect(egress).toHaveLength([calls, expected.length > 0].filter(Boolean).length);
  });

  it('changes nothing and runs nothing in a pod if only doctor is enabled', async () => {
    const rights = [...rightsIn(await manifests({ toolbox: { enabled: true, commands: ['doctor'] } })).keys()];
    expect(rights.filter((right) => !/^(get|list) /.test(right) || right.includes('exec'))).toEqual([]);
    expect(rights).toContain('list persistentvolumeclaims');
  });

  it('changes only Deployments of services, and runs commands only in the pod of PostgreSQL', async () => {
    const rights = rightsIn(await rendered());
    expect(rights.get('patch deployments')).toEqual(topology.services.map(({ alias }) => alias).sort());
    expect(rights.get('create pods/exec')).toEqual(['postgres-0']);
    expect(rightsIn(await manifests({ toolbox: { enabled: true } }, valuesFiles.prod)).has('create pods/exec')).toBe(
      false,
    );
  });

  it('refuses a command that is switched off, and lists the others', async () => {
    const env = { TOOLBOX_COMMANDS: 'doctor,capacity', NODE_OPTIONS: '' };
    const main = (...args: string[]) =>
      execa('node', ['--conditions=@store/source', join(root, 'tools/toolbox/main.ts'), ...args], {
        env,
        reject: false,
      });
    const refused = 'The command restore is switched off here: toolbox.commands in the values of the chart';
    expect(await main('restore')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(refused) });
    expect((await main('--help')).stdout).toContain('Commands: doctor, capacity. Each has --help.');
  });

  it('writes only the Secrets that its commands rotate', async () => {
    const writable = async (values: object, files: string[] = []) => {
      const { rules } = (await manifests({ toolbox: { enabled: true }, ...values }, files)).named('Role', 'toolbox');
      const writing = rules.filter(({ resources, verbs }: { resources: string[]; verbs: string[] }) => {
        return resources.includes('secrets') && verbs.includes('update');
      });
      return writing.map(({ resourceNames }: { resourceNames?: string[] }) => resourceNames);
    };
    expect(await writable({})).toEqual([['postgres', 'postgres-logins', 'store-jwt']]);
    expect(await writable({}, valuesFiles.prod)).toEqual([['store-jwt-key']]);
    const files = [...(valuesFiles.prod ?? []), 'charts/store/presets/cloudnative-pg.yaml'];
    const ofRoles = topology.databases.flatMap((name) => [`database-${name}`, `database-${name}.b`]);
    expect(await writable({}, files)).toEqual([[...ofRoles, 'store-databases', 'store-jwt-key'].sort()]);
  });

  it('reaches the services that its commands call', async () => {
    const { named } = await rendered();
    const labels = Object.keys(named('Deployment', 'toolbox').spec.template.metadata.labels);
    const called = ['account', 'auth', 'product', ...Object.values(topology.groups).map(({ alias }) => alias)].sort();
    expect(labels.filter((label) => label.startsWith('calls/'))).toEqual(called.map((alias) => `calls/${alias}`));
    const [, services] = named('NetworkPolicy', 'toolbox').spec.egress;
    expect(services.to[0].podSelector.matchExpressions[0].values).toEqual(called);
  });

  it("has Kafka's commands and reaches Kafka if they are enabled", async () => {
    const values = { toolbox: { enabled: true, kafkaCommands: true } };
    const { named, podOf } = await manifests(values, valuesFiles.prod);
    expect(podOf('toolbox').containers.map(({ name }: { name: string }) => name)).toEqual(['toolbox', 'kafka']);
    const volume = podOf('toolbox').volumes.find(({ name }: { name: string }) => name === 'kafka');
    const [{ secret }] = volume.projected.sources;
    expect(secret.name).toBe('kafka-operator');
    expect(named('Deployment', 'toolbox').spec.template.metadata.labels).toHaveProperty('calls/kafka');
    expect(named('NetworkPolicy', 'toolbox').spec.egress.at(-1).ports).toEqual([{ port: 9093 }]);
    const withoutLogin = await manifests(values);
    expect(withoutLogin.podOf('toolbox').volumes).toHaveLength(1);
    expect(withoutLogin.named('ConfigMap', 'toolbox').data['client.properties']).not.toContain('sasl');
  });

  it("has an operator's credential if services demand one", async () => {
    const { envOf, podOf } = await rendered({ internal: { existingSecret: 'internal' } });
    const value = '/var/run/secrets/store/OPERATOR_CREDENTIAL';
    expect(envOf('toolbox')).toContainEqual({ name: 'OPERATOR_CREDENTIAL_FILE', value });
    const [{ secret }] = podOf('toolbox').volumes;
    expect(secret).toEqual({ secretName: 'internal', items: [{ key: 'operator', path: 'OPERATOR_CREDENTIAL' }] });
  });
});

describe('the CronJob reconcile', () => {
  const reconcile = { enabled: true, schedule: '5 4 * * *', days: 7 };

  it('is off by default, also with the toolbox', async () => {
    expect((await manifests({ toolbox: { enabled: true } })).named('CronJob', 'reconcile')).toBeUndefined();
  });

  it('compares so many days, without the toolbox, and reaches payment alone', async () => {
    const all = await manifests({ toolbox: { reconcile } });
    expect(all.named('Deployment', 'toolbox')).toBeUndefined();
    const { schedule, jobTemplate } = all.named('CronJob', 'reconcile').spec;
    expect(schedule).toBe(reconcile.schedule);
    const { metadata, spec } = jobTemplate.spec.template;
    expect(spec).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Never' });
    expect(spec.containers[0].args).toEqual(['reconcile', '--days', '7']);
    expect(Object.keys(metadata.labels).filter((label) => label.startsWith('calls/'))).toEqual(['calls/payment']);
    const { egress, podSelector } = all.named('NetworkPolicy', 'reconcile').spec;
    expect(metadata.labels).toMatchObject(podSelector.matchLabels);
    expect(egress).toHaveLength(1);
    expect(egress[0].to[0].podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/name': 'payment' });
  });

  it("has an operator's credential if services demand one", async () => {
    const podWith = async (global: object) =>
      (await manifests({ toolbox: { reconcile }, global })).named('CronJob', 'reconcile').spec.jobTemplate.spec.template
        .spec;
    const { volumes, containers } = await podWith({ internal: { existingSecret: 'internal' } });
    expect(volumes[0].secret).toEqual({
      secretName: 'internal',
      items: [{ key: 'operator', path: 'OPERATOR_CREDENTIAL' }],
    });
    const value = '/var/run/secrets/store/OPERATOR_CREDENTIAL';
    expect(containers[0].env).toContainEqual({ name: 'OPERATOR_CREDENTIAL_FILE', value });
    expect((await podWith({})).volumes).toBeUndefined();
  });
});
