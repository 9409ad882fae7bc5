import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { renderChart, valuesFiles } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';

const names = topology.databases.toSorted();

const crds = process.env.CRDS ?? '';
if (!existsSync(crds)) console.log('CRDS names no folder of custom resource definitions: CloudNativePG is not checked');

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
const read = async (file: string): Promise<any[]> =>
  parseAllDocuments(await readFile(join(root, file), 'utf8')).map((document) => document.toJS());

const manifests = await read('k8s/cloudnative-pg.yaml');
const [cluster] = manifests;

it('has a database and a role for each service, with the Secret that the instructions make', () => {
  const databases = manifests.filter(({ kind }) => kind === 'Database').map(({ spec }) => spec);
  expect(databases).toEqual(names.map((name) => ({ cluster: { name: 'store-database' }, name, owner: name })));
  expect(cluster.spec.managed.roles).toEqual(
    names.map((name) => ({ name, login: true, passwordSecret: { name: `database-${name}` } })),
  );
});

it('is what the values use: pods trust the CA of that cluster', async () => {
  const files = [...(valuesFiles.prod ?? []), 'k8s/values-cloudnative-pg.yaml'];
  const rendered = parseAllDocuments(await renderChart(files)).map((document) => document.toJS());
  const order = rendered.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'order');
  const [volume] = order.spec.template.spec.volumes;
  expect(volume.projected.sources[1].secret.name).toBe(`${cluster.metadata.name}-ca`);
  expect(order.spec.template.spec.containers[0].env).toContainEqual({
    name: 'DATABASE_URL',
    value: 'file:///var/run/database/url?sslmode=verify-full&sslrootcert=/var/run/database/ca.crt',
  });
});

(existsSync(crds) ? describe : describe.skip)('the definitions of the operator', () => {
  /** Schemas by kind, in which a field that is not described is an error, as the API server would drop it. */
  async function schemas() {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const found = new Map<string, ReturnType<Ajv['compile']>>();
    for (const file of (await readdir(crds)).filter((name) => name.endsWith('.yaml'))) {
      const { spec } = parse(await readFile(join(crds, file), 'utf8')) ?? {};
      if (!spec?.group?.endsWith('cnpg.io')) continue;
      found.set(spec.names.kind, ajv.compile(closed(spec.versions[0].schema.openAPIV3Schema)));
    }
    return found;
  }

  function closed(schema: unknown, isRoot = true): object {
    if (Array.isArray(schema)) return schema.map((one) => closed(one, false));
    if (typeof schema !== 'object' || schema === null) return schema as never;
    const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value, false)]));
    const isOpen = isRoot || !('properties' in copy) || 'additionalProperties' in copy || typeof copy.type !== 'string';
    return isOpen ? copy : { ...copy, additionalProperties: Object.keys(copy.properties ?? {}).length === 0 };
  }

  it('accept every resource', async () => {
    const known = await schemas();
    expect([...known.keys()]).toEqual(expect.arrayContaining(['Cluster', 'ScheduledBackup']));
    const problems = manifests.flatMap((manifest) => {
      const validate = known.get(manifest.kind);
      if (validate === undefined) return [];
      return validate(manifest)
        ? []
        : (validate.errors ?? []).map(
            (error) => `${manifest.kind}${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`,
          );
    });
    expect(problems).toEqual([]);
  });

  it('refuse a misspelt field', async () => {
    const validate = (await schemas()).get('Cluster');
    expect(validate?.({ ...cluster, spec: { ...cluster.spec, instanzen: 3 } })).toBe(false);
  });
});
