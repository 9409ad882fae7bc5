import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { componentOf, podsOf } from '../../../tools/cluster/pods.ts';
import { freePort } from '../../../tools/free-port.ts';
import { root } from '../../../tools/paths.ts';
import { useFolder } from '../../kit/folder.ts';
import { areAllAvailableIn, contextOf, cluster as installed, kubectl, say, until } from '../kit/cluster.ts';

/*
 * Runs skaffold dev as documented, from a clone of the checkout, in a separate namespace. The clone has no uncommitted changes. Set
 * SKAFFOLD_PROFILE=host-network if containers need the machine's network.
 */

const namespace = 'store-dev-loop';
const cluster = { ...installed, namespace, release: 'store' };
const clone = join(useFolder(), 'clone');

/** The newest version that this skaffold knows, because an older skaffold refuses the version in skaffold.yaml. */
const { stdout: apiVersion, failed: isMissing } = await execa(
  'skaffold',
  ['version', '--output', '{{.ConfigVersion}}'],
  { reject: false },
);
if (isMissing) say('skipped: the skaffold dev loop, because skaffold is not on PATH');

const removeNamespace = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=280s']);

/**
 * Writes skaffold.yaml with another namespace and port, and with the cluster in CONTEXT. @returns its path: a file is needed, because
 * Helm calls skaffold again with manifests on standard input
 */
async function configure(port: number): Promise<string> {
  const { deploy, portForward, ...others } = parse(await readFile(join(clone, 'skaffold.yaml'), 'utf8'));
  const { kubeContext: _, ...helm } = deploy;
  const [one] = helm.helm.releases;
  one.namespace = namespace;
  // The installed store already uses the node port of presets/dev.yaml.
  one.setValues['gateway.service.type'] = 'ClusterIP';
  const forwarded = [{ ...portForward[0], namespace, localPort: port }];
  const path = join(clone, 'skaffold-of-test.yaml');
  await writeFile(path, stringify({ ...others, apiVersion, deploy: helm, portForward: forwarded }));
  return path;
}

(isMissing ? it.skip : it)('builds, installs, follows a changed source, and uninstalls', async () => {
  await removeNamespace();
  await installed.core.createNamespace({ body: { metadata: { name: namespace } } });
  await execa('git', ['clone', '--quiet', '--shared', root, clone]);
  const port = await freePort();
  const dev = execa(
    'skaffold',
    ['dev', '--filename', await configure(port), ...contextOf('--kube-context'), '--tail=false'],
    {
      cwd: clone,
      all: true,
      buffer: false,
      reject: false,
    },
  );
  dev.all.pipe(process.stderr);
  try {
    const ready = until('every pod is ready', () => areAllAvailableIn(cluster), 20 * 60);
    await Promise.race([ready, dev.then(() => Promise.reject(new Error('skaffold dev has ended before')))]);
    await until(
      'the forwarded gateway answers',
      async () => (await fetch(`http://localhost:${port}/health-check`)).ok,
      60,
    );

    await appendFile(join(clone, 'services/status/src/main.ts'), "\nconsole.log('This source was changed');\n");
    const changedAt = Date.now();
    await until('the changed source runs', async () => {
      const [pod] = (await podsOf(cluster)).filter((one) => componentOf(one) === 'status');
      const name = pod?.metadata?.name ?? '';
      return (await cluster.core.readNamespacedPodLog({ name, namespace })).includes('This source was changed');
    });
    say(`the changed source ran after ${((Date.now() - changedAt) / 1000).toFixed(1)} s`);
  } finally {
    dev.kill('SIGINT');
    await dev;
  }
  expect((await cluster.apps.listNamespacedDeployment({ namespace })).items).toEqual([]);
  await removeNamespace();
});
