import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { cacheDir, root } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { type BuiltImage, builtImages } from '../../topology/images.ts';

type Options = Record<'docker' | 'buildFlags' | 'push' | 'load', string>;

const words = (text: string) => text.split(' ').filter(Boolean);

async function run(command: string, ...args: string[]): Promise<string> {
  const [file = '', ...firstArgs] = words(command);
  // kind load cannot read an image with attestations, which Docker adds if containerd stores its images.
  const env = { DOCKER_BUILDKIT: '1', BUILDX_NO_DEFAULT_ATTESTATIONS: '1' };
  const options = { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] } as const;
  return (await execa(file, [...firstArgs, ...args], options)).stdout;
}

/**
 * @returns the tag, a digest of the content, so that a deployment replaces only services that have changed. The image id does not
 * work: if containerd stores the images, it contains the time of the build.
 */
async function build({ name, dockerfile }: BuiltImage, image: string, { docker, buildFlags }: Options) {
  const startedAt = Date.now();
  console.log(`${image}: building`);
  const args = ['--file', dockerfile, '--build-arg', `SERVICE=${name}`, '--tag', `${image}:latest`];
  await run(docker, 'build', ...args, ...words(buildFlags), '.').catch(async (error) => {
    await run(docker, 'buildx', 'version').catch(() => {
      const how = 'install its plug-in buildx (https://docs.docker.com/go/buildx/)';
      throw new Error(`${docker} build failed, perhaps because BuildKit is missing: ${how}.`);
    });
    throw error;
  });
  const content = '{{json .RootFS.Layers}}{{json .Config}}';
  const inspected = await run(docker, 'image', 'inspect', '--format', content, `${image}:latest`);
  const tag = createHash('sha256').update(inspected).digest('hex').slice(0, 12);
  await run(docker, 'tag', `${image}:latest`, `${image}:${tag}`);
  console.log(`${image}: ${tag} after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  return tag;
}

async function images(options: Options): Promise<void> {
  const { docker, push, load } = options;
  const repository = push || 'store';
  const tags: Record<string, string> = {};
  for (const one of builtImages) tags[one.name] = await build(one, `${repository}/${one.name}`, options);
  const images = Object.entries(tags).map(([name, tag]) => `${repository}/${name}:${tag}`);
  console.log(`${push ? `${docker} push` : load}: ${images.length} images`);
  if (push) for (const image of images) await run(docker, 'push', image);
  else await run(load, ...images);
  await mkdir(cacheDir, { recursive: true });
  await writeFile(join(cacheDir, 'images.yaml'), stringify({ global: { image: { repository, tags } } }));
}

await new Tool('make images')
  .description(
    'Builds the images of all services and of the shop, loads them into the cluster or pushes them to a registry, and writes their names for make deploy.',
  )
  .addOption(new Option('--docker <command>').env('DOCKER').makeOptionMandatory())
  .addOption(new Option('--build-flags <flags>', 'further flags for docker build').env('BUILD_FLAGS').default(''))
  .addOption(new Option('--push <repository>', 'push to host/path instead of loading').env('PUSH').default(''))
  .addOption(new Option('--load <command>', 'loads images into the cluster').env('LOAD_IMAGES').makeOptionMandatory())
  .action(images)
  .run((error) => messageOf(error).split('\n')[0] ?? '');
