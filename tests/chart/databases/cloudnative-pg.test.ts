import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { itWithCrds, problemsOf } from '../../kit/kubernetes/crds.ts';

const names = topology.databases.toSorted();

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

describe('the definitions of the operator', () => {
  itWithCrds.each(manifests)('accept $kind $metadata.name', (manifest) => {
    expect(problemsOf(manifest)).toEqual([]);
  });

  itWithCrds('refuse a misspelt field', () => {
    expect(problemsOf({ ...cluster, spec: { ...cluster.spec, instanzen: 3 } })).toEqual([
      expect.stringContaining('instanzen'),
    ]);
  });
});
