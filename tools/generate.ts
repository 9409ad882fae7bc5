import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from './paths.ts';

// `prisma generate` for every service with a schema, unless its client was generated from just this schema by this Prisma.

const { version } = createRequire(import.meta.url)('prisma/package.json');
const read = (path: string) => readFile(path, 'utf8').catch(() => undefined);

async function generate(service: string): Promise<void> {
  const dir = join(root, 'services', service);
  const schema = await read(join(dir, 'prisma/schema.prisma'));
  if (schema === undefined) return;
  const source = createHash('sha256').update(`${version}\n${schema}`).digest('hex');
  const stamp = join(dir, 'src/generated/.generated-from');
  if ((await read(stamp)) === source) return;
  console.log(`${service}: generates the Prisma client`);
  await execa('prisma', ['generate', '--schema', 'prisma/schema.prisma'], {
    cwd: dir,
    preferLocal: true,
    localDir: root,
    env: {
      // generating needs no engine, but Prisma would download one unless told of any executable
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  await writeFile(stamp, source);
}

try {
  await Promise.all(readdirSync(join(root, 'services')).map(generate));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
