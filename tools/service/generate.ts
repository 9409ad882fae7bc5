import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { topology } from '../topology/topology.ts';
import { edited, editsFor } from './edits.ts';

// make service NAME=review: writes a new service with a database, routes and tests, and adds it to the chart.

/** Names that already mean something else in the chart or the gateway. */
const reserved = /^(admin|collector|external|gateway|global|kafka|monitoring|postgres|self|test)$/;
const templateDir = join(root, 'tools/service/template');

/** @throws Error with a sentence for the user */
function checkedName(name = ''): string {
  const how = 'Give one lower-case word, since it becomes a host name: make service NAME=review';
  if (!/^[a-z][a-z0-9]{1,29}$/.test(name)) throw new Error(`NAME=${name} is not a name for a service. ${how}`);
  const isTaken = topology.services.some(({ alias }) => alias === name) || existsSync(join(root, 'services', name));
  if (isTaken || reserved.test(name)) throw new Error(`The name ${name} is taken. Choose another name.`);
  return name;
}

/** The path, by default a plural noun (contract 1.1). @throws Error with a sentence for the user */
function checkedRoute(name: string, route = ''): string {
  const plural = name.endsWith('s') ? `/${name}` : `/${name}s`;
  const path = route || plural;
  const how = `Give lower-case words, each after a slash: make service NAME=${name} ROUTE=${plural}`;
  if (!/^(\/[a-z0-9]+(-[a-z0-9]+)*)+$/.test(path)) throw new Error(`ROUTE=${path} is not a path for a service. ${how}`);
  if (path in topology.routes)
    throw new Error(`The path ${path} already has a route. Choose another path with ROUTE=.`);
  if (/^\/(external(\/|$)|health-check$)/.test(path))
    throw new Error(`The path ${path} belongs to the gateway itself. Choose another path with ROUTE=.`);
  return path;
}

/** The first port above those of the other services. */
const freePort = () => Math.max(8080, ...topology.services.map(({ localPort }) => localPort)) + 1;

async function writeTemplate(placeholders: Record<string, string>, target: string): Promise<void> {
  const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => placeholders[name] ?? '');
  const entries = await readdir(templateDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const file = join(target, fill(source.slice(templateDir.length)).replace(/\.template$/, ''));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, fill(await readFile(source, 'utf8')));
  }
}

async function generate(givenName?: string, givenRoute?: string): Promise<void> {
  const name = checkedName(givenName);
  const route = checkedRoute(name, givenRoute);
  const localPort = freePort();
  const files = await edited(editsFor(name, route, localPort));
  const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const target = join(root, 'services', name);
  await writeTemplate({ name, Name: `${name[0]?.toUpperCase()}${name.slice(1)}`, route, timestamp }, target);
  for (const [path, text] of files) await writeFile(join(root, path), text);
  const run = (file: string, ...args: string[]) => execa(file, args, { cwd: root, stdio: 'inherit' });
  console.log(`services/${name}: written. Running npm to link it into the workspace`);
  await run('npm', 'install', '--ignore-scripts', '--prefer-offline', '--loglevel=error');
  await run('node_modules/.bin/biome', 'check', '--write', '--log-level=error', `services/${name}`);
  console.log(
    'charts/store and k8s: entries and route added. Running make golden to write the files that follow from them:',
  );
  await run('make', 'golden');
  console.log('Running make api to write docs/openapi.yaml from the routes:');
  await run('make', 'api');
  console.log(`
${name} has the routes GET and POST ${route} and GET ${route}/{id}, a database and tests; its entries are a placeholder for your data.
Written or changed: services/${name}, ${[...files.keys()].join(', ')}, package-lock.json;
by make golden: charts/store/README.md, charts/store/values.schema.json, examples/compose, k8s/values-skaffold.yaml, tests/chart/golden; by make api: docs/openapi.yaml.

  make jest ARGS=services/${name}   runs its tests
  make run   starts it with the store: http://localhost:8080${route}, the service itself on port ${localPort}

What remains to be done: docs/development.md, "A service".`);
}

await new Tool('make service')
  .usage('NAME=<name> [ROUTE=<path>]')
  .description('Writes a new service: services/<name>, entries in charts/store and k8s, and a route at the gateway.')
  .argument('[name]', 'NAME: one lower-case word, such as review')
  .argument('[route]', "ROUTE: its path at the gateway, a plural noun such as /reviews (default: the name with an 's')")
  .action(generate)
  .run();
