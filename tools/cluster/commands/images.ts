import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { cacheDir, root } from '../../paths.ts';

// make images: builds every service's image, brings them into the cluster or to a registry, and writes their names for
// make deploy. A tag names the image's content, so that a deployment changes just the services that have changed.

const { DOCKER = '', BUILD_FLAGS = '', LOAD_IMAGES = '', PUSH = '' } = process.env;
const repository = PUSH || 'store';
const words = (text: string) => text.split(' ').filter(Boolean);

async function run(command: string, ...args: string[]): Promise<string> {
  const [file = '', ...firstArgs] = words(command);
  const options = { cwd: root, env: { DOCKER_BUILDKIT: '1' }, stdio: ['ignore', 'pipe', 'inherit'] } as const;
  return (await execa(file, [...firstArgs, ...args], options)).stdout;
}

async function build(service: string): Promise<string> {
  const began = Date.now();
  const name = `${repository}/${service}`;
  console.log(`${name}: is built`);
  const args = ['--file', 'services/Dockerfile', '--build-arg', `SERVICE=${service}`, '--tag', `${name}:latest`];
  await run(DOCKER, 'build', ...args, ...words(BUILD_FLAGS), '.');
  const id = await run(DOCKER, 'image', 'inspect', '--format', '{{.Id}}', `${name}:latest`);
  const tag = id.replace('sha256:', '').slice(0, 12);
  await run(DOCKER, 'tag', `${name}:latest`, `${name}:${tag}`);
  console.log(`${name}: ${tag} after ${((Date.now() - began) / 1000).toFixed(0)} s`);
  return tag;
}

try {
  const tags: Record<string, string> = {};
  for (const service of (await readdir(join(root, 'services'))).sort()) {
    if (existsSync(join(root, 'services', service, 'src/main.ts'))) tags[service] = await build(service);
  }
  const images = Object.entries(tags).map(([service, tag]) => `${repository}/${service}:${tag}`);
  console.log(`${PUSH ? `${DOCKER} push` : LOAD_IMAGES}: ${images.length} images`);
  if (PUSH) for (const image of images) await run(DOCKER, 'push', image);
  else await run(LOAD_IMAGES, ...images);
  await mkdir(cacheDir, { recursive: true });
  await writeFile(join(cacheDir, 'images.yaml'), stringify({ global: { image: { repository, tags } } }));
} catch (error) {
  console.error(error instanceof Error ? error.message.split('\n')[0] : error);
  process.exit(1);
}
