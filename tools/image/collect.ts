import { cpSync, existsSync, lutimesSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../paths.ts';

// collect.ts order /image: what the image of a service holds, which is itself, shared, and the packages that they need
// at run time. `npm ci --omit=dev` would leave Prisma's command line and TypeScript there: they are optional peers of
// its client, and with them 260 MB.

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  resolved?: string;
  link?: boolean;
}

const packages: Record<string, Package> = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** Not run: maps, types, and the engines for other databases. */
const unneeded =
  /\.(map|d\.[cm]?ts|tsbuildinfo)$|runtime\/(wasm-compiler-edge|query_compiler_(fast_bg|.*(cockroachdb|mysql|sqlite|sqlserver)))/;

const collected = new Set<string>();

function collect(path: string, out: string): void {
  if (collected.has(path)) return;
  collected.add(path);
  const { link, resolved = '' } = packages[path] ?? {};
  if (link) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    symlinkSync(relative(dirname(path), resolved), join(out, path));
    collect(resolved, out);
    return;
  }
  const components = /^services\/[^/]+$/.test(path) ? ['package.json', 'dist', 'prisma/migrations'] : ['.'];
  for (const component of components.filter((component) => existsSync(join(root, path, component)))) {
    cpSync(join(root, path, component), join(out, path, component), {
      recursive: true,
      // What is nested there is asked for by name, or not needed.
      filter: (from) => from !== join(root, path, 'node_modules') && !unneeded.test(from),
    });
  }
  for (const name of needsOf(path)) {
    const found = resolve(path, name);
    if (found !== undefined) collect(found, out);
  }
}

function needsOf(path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = packages[path] ?? {};
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** As Node does: upwards from folder to folder. An optional package of another platform is not installed. */
function resolve(from: string, name: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const path = join(dir, 'node_modules', name);
    if (path in packages && existsSync(join(root, path))) return path;
    if (dir === '.') return undefined;
  }
}

/** The same files make the same layer, whenever it is built. */
function clearTimes(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) clearTimes(join(path, entry.name));
    else lutimesSync(join(path, entry.name), 0, 0);
  }
  lutimesSync(path, 0, 0);
}

const [service, out] = process.argv.slice(2);
if (!service || !out || !existsSync(join(root, 'services', service, 'dist/main.js'))) {
  console.error(`There is no compiled service ${service}: docker build needs --build-arg SERVICE=, such as order.`);
  process.exit(1);
}
collect(`services/${service}`, out);
clearTimes(out);
