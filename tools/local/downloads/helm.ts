import { execa } from 'execa';
import { findOnPath, outputOf, provide } from './provide-tool.ts';

const version = '4.2.4';

/** The path of Helm: HELM, else 3.14 or later on PATH, else built once with Go. */
export const provideHelm = () =>
  provide({
    name: `helm-${version}`,
    variable: 'HELM',
    onPath: async () => {
      const found = await findOnPath('helm');
      const output = found && (await outputOf(found, ['version', '--short']));
      const [, major, minor] = output?.match(/v(\d+)\.(\d+)/)?.map(Number) ?? [];
      if (major === undefined || minor === undefined) return undefined;
      return major > 3 || (major === 3 && minor >= 14) ? found : undefined;
    },
    download: {
      file: 'helm',
      announcement: `building Helm ${version} with Go, about 2 minutes`,
      into: async (dir) => {
        if (!(await findOnPath('go'))) throw new Error('Go is not on PATH: install Go (https://go.dev/dl) or Helm');
        await execa('go', ['install', `helm.sh/helm/v4/cmd/helm@v${version}`], { env: { GOBIN: dir } });
      },
    },
  });
