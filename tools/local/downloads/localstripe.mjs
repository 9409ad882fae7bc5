// @ts-check
import { provide } from './provide-tool.mjs';
import { buildPure, packages, versionIn } from './pypi.mjs';

const requirements = 'requirements-localstripe.txt';
const version = versionIn(requirements);

/**
 * The folder for PYTHONPATH with localstripe, a fake of Stripe's API: LOCALSTRIPE, else downloaded once from PyPI. Only tests run it, as
 * a process of its own, because its licence is GPL-3: nothing of the store contains or imports it.
 */
export const provideLocalstripe = () =>
  provide({
    name: `localstripe-${version}`,
    variable: 'LOCALSTRIPE',
    download: {
      file: packages,
      announcement: `downloading localstripe ${version} from PyPI, about 20 s`,
      into: (dir) => buildPure(dir, requirements),
    },
  });
