import { execa } from 'execa';
import { findOnPath, outputOf, provide } from './provide-tool.ts';

const VERSION = '4.2.4';

/** The path of Helm: HELM, else 3.14 or later on PATH, else built once with Go. */
export const provideHelm = () =>
  provide({
    name: `helm-${VERSION}`,
    variable: 'HELM',
    onPath: async () => {
      const found = await findOnPath('helm');
      const version = found && (await outputOf(found, ['version', '--short']))?.match(/v(\d+)\.(\d+)/);
      if (!version) return undefined;
      const [major, minor] = [Number(version[1]), Number(version[2])];
      return major > 3 || (major === 3 && minor >= 14) ? found : undefined;
    },
    fetch: {
      file: 'helm',
      saying: `build Helm ${VERSION} with Go, about 2 minutes`,
      into: async (dir) => {
        if (!(await findOnPath('go'))) throw new Error('Go is not on PATH: install Go (https://go.dev/dl) or Helm');
        await execa('go', ['install', `helm.sh/helm/v4/cmd/helm@v${VERSION}`], { env: { GOBIN: dir } });
      },
    },
  });
