import { cpSync, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';

const { resolve } = createRequire(join(root, 'services/shared/package.json'));
const neverServed = /\.map$|swagger-ui-es-bundle|\/docs\/reference/;

/** Conditions of Node besides import and require: the tracer's default is only `node`. */
const conditions = ['node', 'node-addons', 'module-sync'];

/** Sources run without a compiler: Node strips the types. */
async function readStripped(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text !== null && path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}

/** Copies files and folders of the repository, one by one: copying them in parallel takes twice as long. */
function copy(paths: Iterable<string>, out: string): void {
  const filter = (source: string) => !neverServed.test(source);
  for (const path of paths)
    cpSync(join(root, path), join(out, path), { recursive: true, verbatimSymlinks: true, filter });
}

/** Copies the commands for operators, which read the chart's values and the sources of shared. */
async function collectToolbox(out: string): Promise<void> {
  const options = { base: root, conditions: [...conditions, '@store/source'], readFile: readStripped };
  const { fileList } = await nodeFileTrace([join(root, 'tools/toolbox/main.ts')], options);
  copy([...fileList, 'tools/toolbox/store', 'charts/store/Chart.yaml', 'charts/store/values.yaml'], out);
}

/**
 * Copies what a compiled service needs at run time: the files that its processes import, and those that they open by path.
 * @param out receives the layout of the repository: services/<service>, services/shared, node_modules
 * @param cache of parsed files that services share; pass the same object for each service
 */
async function collectImage(service: string, out: string, cache: object): Promise<void> {
  const dir = `services/${service}`;
  // All modules, because consumers loads the module of its group by a computed name.
  const modules = (await readdir(join(root, dir, 'dist'), { recursive: true })).filter((name) => name.endsWith('.js'));
  const entries = [
    ...modules.map((name) => join(root, dir, 'dist', name)),
    resolve('@store/shared/messaging/create-topics'), // run by a Job of the chart
  ];
  const { fileList } = await nodeFileTrace(entries, { base: root, conditions, cache });
  const isThere = (path: string) => existsSync(join(root, path));
  const migrations = `${dir}/prisma/migrations`;
  const linked = isThere(migrations) ? ['services/shared/prisma/migrations'] : []; // some migrations are links to it
  const opened = [migrations, ...linked, `${dir}/pages/dist`].filter(isThere);
  copy([...fileList, relative(root, dirname(resolve('swagger-ui-dist/package.json'))), ...opened], out);
}

await new Tool('collect')
  .description('Copies compiled services and what they need at run time into a folder, for services/Dockerfile.')
  .argument('<folder>', 'receives <service>/services/<service>, <service>/services/shared and <service>/node_modules')
  .argument('<services...>', 'such as order, or toolbox')
  .action(async (folder: string, services: string[]) => {
    const traced = {};
    for (const service of services) {
      const out = join(folder, service);
      if (service === 'toolbox') await collectToolbox(out);
      else if (existsSync(join(root, 'services', service, 'dist/main.js'))) await collectImage(service, out, traced);
      else throw new Error(`There is no services/${service}/dist/main.js: is ${service} a service, and is it built?`);
    }
  })
  .run();
