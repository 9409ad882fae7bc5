import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valuesFiles } from '../../tools/chart/render.ts';
import { customKinds } from '../../tools/cluster/custom-objects.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { manifests } from './_manifests.ts';

/** Verb and resource of each call of the API that the commands make, such as `list deployments`. */
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
  return [...new Set([...own, ...ofOperators, 'create pods/exec', 'get pods/exec'])].sort();
}

describe('the toolbox', () => {
  const rendered = (global: object = {}) => manifests({ toolbox: { enabled: true }, global });

  it('has the rights that its commands need, and no others', async () => {
    const { rules } = (await rendered()).named('Role', 'toolbox');
    const rights = rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );
    expect(rights.sort()).toEqual(callsOfCommands());
  });

  it('writes no Secrets but those that its commands rotate', async () => {
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

  it('reaches the services whose paths its commands call', async () => {
    const { named } = await rendered();
    const labels = Object.keys(named('Deployment', 'toolbox').spec.template.metadata.labels);
    const called = ['account', 'auth', ...Object.values(topology.groups).map(({ alias }) => alias)].sort();
    expect(labels.filter((label) => label.startsWith('calls/'))).toEqual(called.map((alias) => `calls/${alias}`));
    const [, services] = named('NetworkPolicy', 'toolbox').spec.egress;
    expect(services.to[0].podSelector.matchExpressions[0].values).toEqual(called);
  });

  it('has the commands of Kafka where they are asked for, and reaches Kafka then', async () => {
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

  it("has an operator's credential where services demand one", async () => {
    const { envOf, podOf } = await rendered({ internal: { existingSecret: 'internal' } });
    const value = '/var/run/secrets/store/OPERATOR_CREDENTIAL';
    expect(envOf('toolbox')).toContainEqual({ name: 'OPERATOR_CREDENTIAL_FILE', value });
    const [{ secret }] = podOf('toolbox').volumes;
    expect(secret).toEqual({ secretName: 'internal', items: [{ key: 'operator', path: 'OPERATOR_CREDENTIAL' }] });
  });
});
