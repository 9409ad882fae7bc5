import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import { Command } from 'commander';
import { root } from '../paths.ts';
import { runCommand } from '../run-command.ts';

const { resolve } = createRequire(join(root, 'services/shared/package.json'));
const neverServed = /\.map$|swagger-ui-es-bundle|\/docs\/reference/;

/** Conditions of Node besides import and require: the tracer's default is `node` alone. */
const conditions = ['node', 'node-addons', 'module-sync'];

/** Sources run as they are: Node itself drops the types. */
async function readStripped(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text !== null && path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}

/** Copies the commands for operators, which read the chart's values and the sources of shared. */
async function collectToolbox(out: string): Promise<void> {
  const { fileList } = await nodeFileTrace([join(root, 'tools/toolbox/main.ts')], {
    base: root,
    conditions: [...conditions, '@store/source'],
    readFile: readStripped,
  });
  const untraced = ['tools/toolbox/store', 'charts/store/Chart.yaml', 'charts/store/values.yaml'];
  for (const path of [...fileList, ...untraced])
    await cp(join(root, path), join(out, path), { recursive: true, verbatimSymlinks: true });
}

/**
 * Copies what a compiled service needs at run time: the files that its processes load, found by following their
 * imports, and those that are opened by a path which no import names.
 * @param out receives the layout of the repository: services/<service>, services/shared, node_modules
 * @param cache keeps the files that services share parsed; the same object for each of them
 */
async function collectImage(service: string, out: string, cache: object): Promise<void> {
  const dir = join(root, 'services', service);
  // All of them: consumers loads the module of its group by a computed name.
  const modules = (await readdir(join(dir, 'dist'), { recursive: true })).filter((name) => name.endsWith('.js'));
  const entries = [
    ...modules.map((name) => join(dir, 'dist', name)),
    resolve('@store/shared/messaging/create-topics'), // run by a Job of the chart
  ];
  const { fileList } = await nodeFileTrace(entries, { base: root, conditions, cache });
  const migrations = join(dir, 'prisma/migrations');
  const linked = join(root, 'services/shared/prisma/migrations'); // some of them are links to it
  const pages = join(dir, 'pages/dist');
  const opened = [...(existsSync(migrations) ? [migrations, linked] : []), ...(existsSync(pages) ? [pages] : [])];
  const untraced = [dirname(resolve('swagger-ui-dist/package.json')), ...opened];
  for (const path of [...fileList, ...untraced.map((path) => relative(root, path))]) {
    await cp(join(root, path), join(out, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !neverServed.test(source),
    });
  }
}

const command = new Command('collect')
  .description('Copies compiled services and what they need at run time into a folder, for services/Dockerfile.')
  .argument('<folder>', 'receives <service>/services/<service>, <service>/services/shared and <service>/node_modules')
  .argument('<services...>', 'such as order, or toolbox')
  .action(async (folder: string, services: string[]) => {
    const traced = {};
    for (const service of services) {
      if (service === 'toolbox') {
        await collectToolbox(join(folder, service));
        continue;
      }
      if (!existsSync(join(root, 'services', service, 'dist/main.js'))) {
        throw new Error(
          `services/${service}/dist/main.js does not exist: is there a service ${service}, and is it built?`,
        );
      }
      await collectImage(service, join(folder, service), traced);
    }
  });

await runCommand(command);
