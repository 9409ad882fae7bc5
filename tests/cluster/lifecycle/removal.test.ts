import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { requireHelm } from '../../../tools/local/downloads/helm.mjs';
import { scriptsRunBy } from '../../docs/_documents.ts';
import { useFolder } from '../../kit/folder.ts';
import { contextOf, helm, helmIn, cluster as installed, kubectl, runTool, say, until } from '../kit/cluster.ts';

// The commands of docs/kubernetes.md, "Remove everything", on a second store beside the installed one.

const namespace = 'store-removed';
const images = join(useFolder(), 'images.yaml');
const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=280s']);

beforeAll(async () => {
  await remove();
  await installed.core.createNamespace({ body: { metadata: { name: namespace } } });
  const { image } = JSON.parse(await helm('get', 'values', installed.release, '--all', '--output', 'json')).global;
  // KAFKA_IMAGE, if the chart's Kafka image cannot be pulled
  const kafka = process.env.KAFKA_IMAGE ? { image: process.env.KAFKA_IMAGE } : {};
  await writeFile(images, stringify({ global: { image }, kafka, postgres: { backup: { enabled: true } } }));
}, 300_000);
afterAll(remove, 300_000);

it('removes a store with its data within minutes, right after listing its backups', async () => {
  await helmIn(namespace, 'install', 'store', 'charts/store', '--values', images, '--wait', '--timeout', '10m');
  const backups = async () =>
    (await runTool('cluster/commands/restore.ts', [], { NAMESPACE: namespace, RELEASE: 'store' })).all;
  await until('there is a backup', async () => /\d{8}T\d{6}Z/.test(await backups()));

  const [page] = scriptsRunBy('tests/cluster/lifecycle/removal.test.ts');
  const PATH = [dirname(await requireHelm()), process.env.PATH].join(delimiter);
  const inNamespace = (page?.script ?? '')
    .replaceAll('-n store', `-n ${namespace}`)
    .replace(/namespace store$/m, `namespace ${namespace}`);
  const script = inNamespace.replaceAll(/^kubectl/gm, ['kubectl', ...contextOf('--context')].join(' '));
  expect(script).toContain(`delete namespace ${namespace}`);
  const options = { env: { PATH }, all: true, reject: false, timeout: 300_000 } as const;
  const { all, exitCode } = await execa(
    'sh',
    ['-exc', script.replaceAll(/^helm/gm, `helm ${contextOf('--kube-context').join(' ')}`)],
    options,
  );
  say(all);
  expect(exitCode).toBe(0);
  expect((await kubectl(['get', 'namespace', namespace], { reject: false })).exitCode).toBe(1);
  const volumes = JSON.parse((await kubectl(['get', 'pv', '-o', 'json'])).stdout).items;
  const claims = volumes.map(({ spec }: { spec: { claimRef?: { namespace: string } } }) => spec.claimRef?.namespace);
  expect(claims).not.toContain(namespace);
}, 1_200_000);
