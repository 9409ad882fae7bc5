import { fileURLToPath } from 'node:url';
import config, { inBrowser } from '../../jest.config.mjs';

const rootDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const resolved = (path) => path.replace(/^\.\//, `${rootDir}/`);

/** The long form of the browser tests, which includes long/. */
export default {
  ...config,
  globalTeardown: resolved(config.globalTeardown),
  reporters: config.reporters.map(resolved),
  projects: inBrowser.map((project) => ({ ...project, rootDir })),
};
