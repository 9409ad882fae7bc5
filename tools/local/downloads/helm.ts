import { join } from 'node:path';
import { execa } from 'execa';
import { cacheDir, root } from '../../paths.ts';
import { provideMaven } from './maven.ts';
import { findOnPath, outputOf, provide, type Tool } from './provide-tool.ts';

const version = '0.0.21';
const name = `helm-java-${version}`;
/** As Maven's artifacts are called. */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const file = `helm-linux-${architecture}.so`;
const library = join(cacheDir, 'tools', name, file);

/** Helm as a command, or as the native library of helm-java, which needs no cluster and knows none. */
export type Helm = { command: string } | { library: string };

const tool: Tool = {
  name,
  variable: 'HELM',
  onPath: helmOnPath,
  download: {
    file,
    announcement: 'downloading Helm as a library from Maven Central (28 MB)',
    into: async (dir) => {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack-dependencies';
      const pom = join(root, 'tools/local/downloads/poms/helm.pom.xml');
      const only = ['-DexcludeTransitive=true', '-Dmdep.unpack.includes=*.so', `-Darchitecture=${architecture}`];
      await execa(await provideMaven(), ['-B', '-f', pom, goal, ...only, `-DoutputDirectory=${dir}`]);
    },
  },
};

/** HELM, else 3.14 or later on PATH, else on Linux the library, downloaded once from Maven Central (decision record 26). */
export async function provideHelm(): Promise<Helm> {
  if (process.platform !== 'linux') return { command: await requireHelm() };
  const path = await provide(tool);
  return path === library ? { library } : { command: path };
}

/** The path of Helm as a command, for what happens in a cluster. @throws Error that says how to get it */
export async function requireHelm(): Promise<string> {
  if (process.env.HELM || (await helmOnPath())) return provide(tool);
  const how = 'https://helm.sh/docs/intro/install; macOS: brew install helm';
  throw new Error(`Helm is not on PATH: install 3.14 or later (${how}), or set HELM to its path.`);
}

async function helmOnPath(): Promise<string | undefined> {
  const found = await findOnPath('helm');
  const output = found && (await outputOf(found, ['version', '--short']));
  const [, major, minor] = output?.match(/v(\d+)\.(\d+)/)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return major > 3 || (major === 3 && minor >= 14) ? found : undefined;
}
