import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { root } from './paths.ts';
import { Tool } from './run-command.ts';

/** The file itself, or the files below a folder without tests and generated files. */
async function filesIn(source: string): Promise<string[]> {
  if (statSync(join(root, source)).isFile()) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((path) => !/\.test\.ts$|\/(dist|generated)\//.test(path));
}

/** Empties and fills the folder if a source has changed, and says so. Prisma refuses a folder that is not empty. */
async function unlessCurrent(what: string, folder: string, sources: string[], fill: (folder: string) => object) {
  const files = (await Promise.all(sources.map(filesIn))).flat();
  const hash = createHash('sha256');
  for (const path of files.sort()) hash.update(`${path}\n${await readFile(join(root, path), 'utf8')}\n`);
  const source = hash.digest('hex');
  const target = join(root, folder);
  const stamp = join(target, '.generated-from');
  if ((await readFile(stamp, 'utf8').catch(() => undefined)) === source) return;
  console.log(what);
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await fill(target);
  await writeFile(stamp, source);
}

const run = (cwd: string, command: string, args: string[], env = {}) =>
  execa(command, args, { cwd: join(root, cwd), preferLocal: true, localDir: root, env });

function prismaClient(service: string): Promise<void> {
  const dir = `services/${service}`;
  const schema = 'prisma/schema.prisma';
  // Generating needs no engine, but Prisma downloads one unless it is given an executable.
  const engine = process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath;
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: engine, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' };
  const sources = ['node_modules/prisma/package.json', `${dir}/${schema}`];
  return unlessCurrent(`${service}: generating the Prisma client`, `${dir}/src/generated`, sources, () =>
    run(dir, 'prisma', ['generate', '--schema', schema], env),
  );
}

const ofConsole = 'services/console';
// The pages show the runbooks (views/now/runbook.tsx), and know currencies (parts/parts.tsx).
const ofPages = [
  'package-lock.json',
  `${ofConsole}/vite.config.ts`,
  `${ofConsole}/pages`,
  'docs/runbooks',
  'services/shared/src/values/currencies.ts',
];

const pages = () =>
  unlessCurrent('console: building the pages', `${ofConsole}/pages/dist`, ofPages, () =>
    run(ofConsole, 'vite', ['build', '--logLevel', 'warn']),
  );

const writeTypes = join(root, 'tools/api/console-types.ts');

/** Only the type check of the pages needs these types: images build the pages without, as they lack the writer. */
function typesOfPages(): Promise<void> {
  const what = 'console: writing the types of its routes for the pages';
  const sources = ['package-lock.json', `${ofConsole}/src`, 'services/shared/src'];
  return unlessCurrent(what, `${ofConsole}/pages/generated`, sources, (folder) =>
    run('.', process.execPath, ['--conditions=@store/source', writeTypes, join(folder, 'schema.ts')]),
  );
}

await new Tool('make generate')
  .description(
    'Generates files that are not in Git, if their sources have changed: Prisma clients, pages of the console, and their types.',
  )
  .action(async () => {
    const hasSchema = (name: string) => existsSync(join(root, 'services', name, 'prisma/schema.prisma'));
    const services = (await readdir(join(root, 'services'))).filter(hasSchema);
    await Promise.all([...services.map(prismaClient), pages()]);
    // After the pages, because the console needs them to give its routes.
    if (existsSync(writeTypes)) await typesOfPages();
  })
  .run();
