// @ts-check
import { downloaded, findOnPath, installed, outputOf } from './provide-tool.mjs';
import { fromMavenCentral } from './pypi.mjs';

const version = '0.0.21';

/** @typedef {{ command: string } | { library: string }} Helm as a command, or as the native library of helm-java, which works without a cluster */

const command = { name: `helm-java-${version}`, variable: 'HELM', onPath: helmOnPath };

/** @type {Promise<Helm> | undefined} */
let provided;

/**
 * HELM, else 3.14 or later on PATH, else the library, downloaded once from Maven Central (decisions/0011). A process searches only
 * once, because it has to run the command to learn its version.
 */
export function provideHelm() {
  provided ??= findHelm();
  return provided;
}

/** @returns {Promise<Helm>} */
async function findHelm() {
  const found = await installed(command);
  if (found) return { command: found };
  const platform = `${process.platform}-${process.arch.replace('x64', 'amd64')}`;
  const file = platform === 'darwin-arm64' ? 'helm-darwin-10.12-arm64.dylib' : `helm-${platform}.so`;
  const announcement = 'downloading Helm as a library from Maven Central (28 MB)';
  const into = (/** @type {string} */ dir) =>
    fromMavenCentral(dir, `com.marcnuri.helm-java:${platform}:${version}`, file);
  return { library: await downloaded({ ...command, download: { file, announcement, into } }) };
}

/** The path of Helm as a command, for work in a cluster. @throws Error that says how to get it */
export async function requireHelm() {
  const found = await installed(command);
  if (found) return found;
  const how = 'https://helm.sh/docs/intro/install; macOS: brew install helm';
  throw new Error(`Helm is not on PATH: install 3.14 or later (${how}), or set HELM to its path.`);
}

async function helmOnPath() {
  const found = await findOnPath('helm');
  const output = found && (await outputOf(found, ['version', '--short']));
  const [, major, minor] = output?.match(/v(\d+)\.(\d+)/)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return major > 3 || (major === 3 && minor >= 14) ? found : undefined;
}
