import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { requireHelm } from '../../tools/local/downloads/helm.mjs';
import { findOnPath } from '../../tools/local/downloads/provide-tool.mjs';
import { root } from '../../tools/paths.ts';

const needed = ['skopeo', 'cosign'];

/** Programs for making a release that this machine lacks. */
export async function missingTools(...others: string[]): Promise<string[]> {
  const programs = [...needed, ...others];
  const missing = await Promise.all(programs.map(async (name) => ((await findOnPath(name)) ? [] : [name])));
  return [
    ...missing.flat(),
    ...(await requireHelm().then(
      () => [],
      () => ['helm'],
    )),
  ];
}

/** The name of an image within its registry. */
export const pathOf = (image: string) => image.slice(image.indexOf('/') + 1);

/**
 * Publishes to a registry on this machine, which also stands for the public registries of third-party images. Signs with a new key.
 * @param dir an empty folder, used as the home directory
 * @param registry the address of the registry, such as localhost:5000
 */
export async function createPublisher(dir: string, registry: string) {
  const repository = `${registry}/example/store`;
  const env = { HOME: dir, COSIGN_PASSWORD: '' };
  const registries = ['docker.io', 'quay.io', 'ghcr.io', registry]
    .map((prefix) => `[[registry]]\nprefix = "${prefix}"\nlocation = "${registry}"\ninsecure = true\n`)
    .join('');
  await mkdir(join(dir, '.config/containers'), { recursive: true });
  await writeFile(join(dir, '.config/containers/registries.conf'), registries);
  await execa('cosign', ['generate-key-pair'], { cwd: dir, env });
  return {
    repository,
    env,
    async publish(version: string, digests: Record<string, string>): Promise<void> {
      const folder = join(dir, version);
      await mkdir(folder, { recursive: true });
      for (const [image, digest] of Object.entries(digests)) await writeFile(join(folder, image), `${digest}\n`);
      const flags = ['--digests', folder, '--cosign', `--key ${dir}/cosign.key --tlog-upload=false`];
      const args = ['tools/release/publish.ts', version, repository, ...flags];
      await execa(process.execPath, args, { cwd: root, env, all: true });
    },
  };
}
