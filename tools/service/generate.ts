import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';

// make service NAME=loyalty: writes a new service with a database, routes and tests, and its entry in the chart.

/** Names that mean something else in the chart or the gateway. */
const reserved = [
  'admin',
  'collector',
  'external',
  'gateway',
  'global',
  'kafka',
  'monitoring',
  'postgres',
  'self',
  'test',
];
const templateDir = join(root, 'tools/service/template');

const command = new Command('make service')
  .description('Writes a new service: services/<name>, its entry in charts/store, and a route at the gateway.')
  .argument('[name]', 'one lower-case word, such as loyalty: NAME=loyalty')
  .parse();

/** @throws Error with a sentence for the user */
function checkedName(name = ''): string {
  if (!/^[a-z][a-z0-9]{1,29}$/.test(name)) {
    throw new Error(
      `NAME=${name} is not a name for a service. Give one lower-case word, since it becomes a host name: make service NAME=loyalty`,
    );
  }
  const isTaken = topology.services.some(({ alias }) => alias === name) || existsSync(join(root, 'services', name));
  if (isTaken || reserved.includes(name)) throw new Error(`The name ${name} is taken. Choose another one.`);
  if (`/${name}` in topology.routes) throw new Error(`The path /${name} is routed already. Choose another name.`);
  return name;
}

/** The first port after those of the other services. */
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

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(root, path);
  await writeFile(file, change(await readFile(file, 'utf8')));
}

/** Written as text, because a YAML library would reformat the comments and anchors of the rest. */
async function addToChart(name: string, localPort: number): Promise<void> {
  await edit('charts/store/Chart.yaml', (text) => {
    const version = /^version: (.+)$/m.exec(text)?.[1];
    return `${text.trimEnd()}\n  - { name: service, version: ${version}, alias: ${name} }\n`;
  });
  await edit('charts/store/values.yaml', (text) => {
    const routed = text.replace(/(\n {2}routes:\n(?: {4}\/.*\n)+)/, `$1    /${name}: ${name}\n`);
    return `${routed.trimEnd()}\n\n${name}:\n  image: ${name}\n  localPort: ${localPort}\n  database: ${name}\n`;
  });
}

try {
  const name = checkedName(command.args[0]);
  const localPort = freePort();
  const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const target = join(root, 'services', name);
  await writeTemplate({ name, Name: `${name[0]?.toUpperCase()}${name.slice(1)}`, timestamp }, target);
  await addToChart(name, localPort);
  const run = (file: string, ...args: string[]) => execa(file, args, { cwd: root, stdio: 'inherit' });
  console.log(`services/${name}: written. npm links it into the workspace`);
  await run('npm', 'install', '--ignore-scripts', '--prefer-offline', '--loglevel=error');
  await run('node_modules/.bin/biome', 'check', '--write', '--log-level=error', `services/${name}`);
  console.log('charts/store: entry and route added. Writing the files that follow from it');
  await run('make', 'golden');
  console.log(`
${name} has the routes GET and POST /${name} and GET /${name}/{id}, a database and tests.

  make jest ARGS=services/${name}    runs its tests
  make run                           starts it with the store: http://localhost:8080/${name}, itself on port ${localPort}

Next: its fields in services/${name}/src/schemas.ts and prisma/schema.prisma (docs/development.md).`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
