import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { cacheDir, root } from '../local/paths.ts';

// make images: builds every service's image, brings them into the cluster, and writes their tags for make deploy. A tag
// names the image's content, so that a deployment changes just the services that have changed.

const { DOCKER = '', BUILD_FLAGS = '', LOAD_IMAGES = '' } = process.env;
const words = (text: string) => text.split(' ').filter(Boolean);
const [docker = '', ...dockerArgs] = words(DOCKER);
const [load = '', ...loadArgs] = words(LOAD_IMAGES);
const say = (line: string) => console.log(line);

async function build(service: string): Promise<string> {
  const began = Date.now();
  const name = `store/${service}`;
  say(`${name}: is built`);
  const args = [
    'build',
    '--file',
    'services/Dockerfile',
    '--build-arg',
    `SERVICE=${service}`,
    '--tag',
    `${name}:latest`,
  ];
  await execa(docker, [...dockerArgs, ...args, ...words(BUILD_FLAGS), '.'], {
    cwd: root,
    env: { DOCKER_BUILDKIT: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { stdout: id } = await execa(docker, [
    ...dockerArgs,
    'image',
    'inspect',
    '--format',
    '{{.Id}}',
    `${name}:latest`,
  ]);
  const tag = id.replace('sha256:', '').slice(0, 12);
  await execa(docker, [...dockerArgs, 'tag', `${name}:latest`, `${name}:${tag}`]);
  say(`${name}: ${tag} after ${((Date.now() - began) / 1000).toFixed(0)} s`);
  return tag;
}

try {
  const tags: Record<string, string> = {};
  for (const service of (await readdir(join(root, 'services'))).sort()) {
    if (existsSync(join(root, 'services', service, 'src/main.ts'))) tags[service] = await build(service);
  }
  const images = Object.entries(tags).map(([service, tag]) => `store/${service}:${tag}`);
  say(`${LOAD_IMAGES}: brings ${images.length} images into the cluster`);
  await execa(load, [...loadArgs, ...images], { stdio: ['ignore', 'inherit', 'inherit'] });
  await mkdir(cacheDir, { recursive: true });
  await writeFile(join(cacheDir, 'images.yaml'), stringify({ global: { image: { tags } } }));
} catch (error) {
  console.error(error instanceof Error ? error.message.split('\n')[0] : error);
  process.exit(1);
}
