import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { root } from './paths.ts';
import { runCommand } from './run-command.ts';

interface Generated {
  /** Said before it is generated. */
  what: string;
  folder: string;
  /** Paths of the files that it is made of. */
  sources: string[];
  generate(folder: string): Promise<unknown>;
}

/** Generates anew if a source has changed. Prisma refuses a folder that holds something else, so it is empty then. */
async function unlessCurrent({ what, folder, sources, generate }: Generated): Promise<void> {
  const hash = createHash('sha256');
  for (const path of sources.sort()) hash.update(`${path}\n${await readFile(join(root, path), 'utf8')}\n`);
  const source = hash.digest('hex');
  const target = join(root, folder);
  const stamp = join(target, '.generated-from');
  if ((await readFile(stamp, 'utf8').catch(() => undefined)) === source) return;
  console.log(what);
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await generate(target);
  await writeFile(stamp, source);
}

/** Files below a folder that are no tests and were not generated. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((path) => !/\.test\.ts$|\/(dist|generated)\//.test(path));
}

const run = (cwd: string, command: string, args: string[], env = {}) =>
  execa(command, args, { cwd, preferLocal: true, localDir: root, env });

function prismaClient(service: string): Generated {
  const dir = `services/${service}`;
  const env = {
    // Generating needs no engine, but Prisma downloads one unless it is given an executable.
    PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  return {
    what: `${service}: generating the Prisma client`,
    folder: `${dir}/src/generated`,
    sources: ['node_modules/prisma/package.json', `${dir}/prisma/schema.prisma`],
    generate: () => run(join(root, dir), 'prisma', ['generate', '--schema', 'prisma/schema.prisma'], env),
  };
}

const ofConsole = 'services/console';

/** The pages show the runbooks (views/now/alerts.tsx). */
const pages = async (): Promise<Generated> => ({
  what: 'console: building the pages',
  folder: `${ofConsole}/pages/dist`,
  sources: [
    ...['package-lock.json', `${ofConsole}/vite.config.ts`],
    ...(await filesIn(`${ofConsole}/pages`)),
    ...(await filesIn('docs/runbooks')),
  ],
  generate: () => run(join(root, ofConsole), 'vite', ['build', '--logLevel', 'warn']),
});

const writeTypes = join(root, 'tools/api/console-types.ts');

/** The pages are checked by them, and built without: an image has not what writes them. */
const typesOfPages = async (): Promise<Generated> => ({
  what: 'console: writing the types of its routes for the pages',
  folder: `${ofConsole}/pages/generated`,
  sources: ['package-lock.json', ...(await filesIn(`${ofConsole}/src`)), ...(await filesIn('services/shared/src'))],
  generate: (folder) =>
    run(root, process.execPath, ['--conditions=@store/source', writeTypes, join(folder, 'schema.ts')]),
});

const command = new Command('make generate')
  .description('Generates what is not in Git and has changed: Prisma clients, pages of the console, and their types.')
  .action(async () => {
    const services = (await readdir(join(root, 'services'))).filter((name) =>
      existsSync(join(root, 'services', name, 'prisma/schema.prisma')),
    );
    await Promise.all([...services.map(prismaClient), await pages()].map(unlessCurrent));
    // The console, whose routes they are of, looks for its pages.
    if (existsSync(writeTypes)) await unlessCurrent(await typesOfPages());
  });

await runCommand(command);
