import { ConfigError, readConfig } from '@store/shared/values/environment';
import { valuesFiles } from '../../tools/chart/render.ts';
import { topology } from '../../tools/topology/topology.ts';
import { type Manifest, type Manifests, manifests } from './_manifests.ts';

/** The variables of a container as the kubelet sets them. Those from Secrets are undefined. */
function environmentOf(rendered: Manifests, alias: string): Record<string, string | undefined> {
  const { env = [], envFrom = [] } = rendered.podOf(alias).containers[0];
  const fromMaps = envFrom.map(({ configMapRef }: Manifest) => rendered.named('ConfigMap', configMapRef.name).data);
  const own = env.map(({ name, value, valueFrom }: Manifest) => [name, valueFrom ? undefined : value]);
  const fromFiles = Object.keys(Object.fromEntries(own)).filter((name) => name.endsWith('_FILE'));
  const unknown = fromFiles.map((name) => [name.replace(/_FILE$/, ''), undefined]);
  return Object.assign({}, ...fromMaps, Object.fromEntries([...own, ...unknown]));
}

/** The problems that the service would print before it exits, except those of variables that only a cluster can set. */
function problemsOf(schema: Parameters<typeof readConfig>[0], env: Record<string, string | undefined>): string[] {
  const fromCluster = new Set(Object.keys(env).filter((name) => env[name] === undefined || env[name]?.includes('$(')));
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.lines.filter((line) => !fromCluster.has(line.split(/[: ]/)[0] ?? ''));
  }
}

describe.each(Object.entries(valuesFiles))('with the values %s', (_name, files) => {
  it.each(topology.services)('$alias accepts the variables of its container', async ({ alias, image, entry }) => {
    const { configSchema, workerConfigSchema } = await import(`../../services/${image}/src/config.ts`);
    const schema = entry === 'dist/worker.js' ? workerConfigSchema : configSchema;
    expect(problemsOf(schema, environmentOf(await manifests({}, files), alias))).toEqual([]);
  });

  it('the console knows each service by its name in the topology', async () => {
    const { SERVICES = '' } = environmentOf(await manifests({}, files), 'console');
    const names = SERVICES.split(',').map((pair) => pair.split('=')[0]);
    const others = topology.services.filter(({ alias }) => alias !== 'console');
    expect(names.sort()).toEqual(others.map(({ name }) => name).sort());
  });
});
