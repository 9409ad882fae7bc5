import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { root } from './paths.ts';
import { runCommand } from './run-command.ts';

const { version } = createRequire(import.meta.url)('prisma/package.json');
const read = (path: string) => readFile(path, 'utf8').catch(() => undefined);

async function generate(service: string): Promise<void> {
  const dir = join(root, 'services', service);
  const schema = await read(join(dir, 'prisma/schema.prisma'));
  if (schema === undefined) return;
  const source = createHash('sha256').update(`${version}\n${schema}`).digest('hex');
  const generated = join(dir, 'src/generated');
  const stamp = join(generated, '.generated-from');
  if ((await read(stamp)) === source) return;
  console.log(`${service}: generating the Prisma client`);
  // Prisma refuses a folder that holds something else, such as the output of other generators alone.
  await rm(generated, { recursive: true, force: true });
  await execa('prisma', ['generate', '--schema', 'prisma/schema.prisma'], {
    cwd: dir,
    preferLocal: true,
    localDir: root,
    env: {
      // Generating needs no engine, but Prisma downloads one unless it is given an executable.
      PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  await writeFile(stamp, source);
}

/** Builds the pages of the console, if one of their files, or a package, has changed. */
async function buildPages(): Promise<void> {
  const dir = join(root, 'services/console');
  const names = await readdir(join(dir, 'pages'), { recursive: true });
  const sources = names.filter((name) => !/^dist\b/.test(name)).sort();
  const hash = createHash('sha256');
  // The pages show them (views/now/alerts.tsx).
  const runbooks = (await readdir(join(root, 'docs/runbooks'))).sort().map((name) => `../../docs/runbooks/${name}`);
  const pages = sources.map((name) => join('pages', name));
  for (const path of ['../../package-lock.json', 'vite.config.ts', ...pages, ...runbooks])
    hash.update(`${path}\n${await read(join(dir, path))}`);
  const source = hash.digest('hex');
  const stamp = join(dir, 'pages/dist/.generated-from');
  if ((await read(stamp)) === source) return;
  console.log('console: building the pages');
  await execa('vite', ['build', '--logLevel', 'warn'], { cwd: dir, preferLocal: true, localDir: root });
  await writeFile(stamp, source);
}

const command = new Command('make generate')
  .description('Generates what is not in Git and has changed: Prisma clients, and the pages of the console.')
  .action(async () => {
    await Promise.all([...(await readdir(join(root, 'services'))).map(generate), buildPages()]);
  });

await runCommand(command);
