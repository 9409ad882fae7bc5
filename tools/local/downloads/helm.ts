import { downloaded, findOnPath, installed, outputOf } from './provide-tool.ts';
import { fromMavenCentral } from './pypi.ts';

const version = '0.0.21';

/** Helm as a command, or as the native library of helm-java, which works without a cluster. */
export type Helm = { command: string } | { library: string };

const command = { name: `helm-java-${version}`, variable: 'HELM', onPath: helmOnPath };

let provided: Promise<Helm> | undefined;

/**
 * HELM, else 3.14 or later on PATH, else the library, downloaded once from Maven Central (decisions/0011). A process searches only
 * once, because it has to run the command to learn its version.
 */
export function provideHelm(): Promise<Helm> {
  provided ??= findHelm();
  return provided;
}

async function findHelm(): Promise<Helm> {
  const found = await installed(command);
  if (found) return { command: found };
  const platform = `${process.platform}-${process.arch.replace('x64', 'amd64')}`;
  const file = platform === 'darwin-arm64' ? 'helm-darwin-10.12-arm64.dylib' : `helm-${platform}.so`;
  const announcement = 'downloading Helm as a library from Maven Central (28 MB)';
  const into = (dir: string) => fromMavenCentral(dir, `com.marcnuri.helm-java:${platform}:${version}`, file);
  return { library: await downloaded({ ...command, download: { file, announcement, into } }) };
}

/** The path of Helm as a command, for work in a cluster. @throws Error that says how to get it */
export async function requireHelm(): Promise<string> {
  const found = await installed(command);
  if (found) return found;
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
