import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectsIn, renderChart } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Resource = any;

async function toolboxOf(values: object = {}): Promise<Map<string, Resource>> {
  const text = await renderChart([], { toolbox: { enabled: true }, ...values });
  const all: Resource[] = objectsIn(text);
  return new Map(all.filter(({ metadata }) => metadata.name === 'toolbox').map((one) => [one.kind, one]));
}

it('there is none by default', async () => {
  expect(await renderChart([], {})).not.toContain('toolbox');
});

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
  return [...new Set([...calls, 'create pods/exec', 'get pods/exec'])].sort();
}

it('it has the rights that its commands need, and no others', async () => {
  const role = (await toolboxOf()).get('Role');
  const rights = role.rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  expect(rights.sort()).toEqual(callsOfCommands());
});

it('it reaches the services whose paths its commands call', async () => {
  const resources = await toolboxOf();
  const { labels } = resources.get('Deployment').spec.template.metadata;
  const called = ['account', 'auth', ...Object.values(topology.groups).map(({ alias }) => alias)].sort();
  expect(Object.keys(labels).filter((label) => label.startsWith('calls/'))).toEqual(
    called.map((alias) => `calls/${alias}`),
  );
  const [, services] = resources.get('NetworkPolicy').spec.egress;
  expect(services.to[0].podSelector.matchExpressions[0].values).toEqual(called);
});

it("it has an operator's credential where services demand one", async () => {
  const [container] = (await toolboxOf({ global: { internal: { existingSecret: 'internal' } } })).get('Deployment').spec
    .template.spec.containers;
  expect(container.env).toContainEqual({
    name: 'OPERATOR_CREDENTIAL',
    valueFrom: { secretKeyRef: { name: 'internal', key: 'operator' } },
  });
});
