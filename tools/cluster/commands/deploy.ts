import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { provideHelm } from '../../local/downloads/helm.ts';
import { cacheDir, root } from '../../paths.ts';

// make deploy: installs or upgrades the release in the cluster that kubectl speaks to, and waits until all of it is ready.
// VALUES: files of values, which go before the chart's own; none: make deploy VALUES=

const { NAMESPACE = '', RELEASE = '', VALUES = '', TIMEOUT = '' } = process.env;
const run = (command: string, args: string[]) => execa(command, args, { cwd: root, stdio: 'inherit' });

try {
  const images = join(cacheDir, 'images.yaml');
  if (!existsSync(images)) throw new Error('There are no images yet: make images');
  const helm = await provideHelm();
  if (NAMESPACE === 'store') await run('kubectl', ['apply', '-f', 'k8s/namespace.yaml']);
  const files = [...VALUES.split(' ').filter(Boolean), images].flatMap((file) => ['--values', file]);
  const release = ['upgrade', RELEASE, 'charts/store', '--install', '--namespace', NAMESPACE, ...files];
  console.log(
    `Waits up to ${TIMEOUT} until everything is ready; kubectl -n ${NAMESPACE} get pods shows how far it is.`,
  );
  await run(helm, [...release, '--wait', '--timeout', TIMEOUT]);
} catch (error) {
  if (error instanceof Error && !('exitCode' in error)) console.error(error.message);
  process.exitCode = 1;
}
