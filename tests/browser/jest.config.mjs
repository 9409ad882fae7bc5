import { fileURLToPath } from 'node:url';
import config, { browser } from '../../jest.config.mjs';

const rootDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const resolved = (path) => path.replace(/^\.\//, `${rootDir}/`);

/** The long form of the project browser: with the tests in long/. */
export default {
  ...config,
  globalSetup: resolved(config.globalSetup),
  globalTeardown: resolved(config.globalTeardown),
  reporters: config.reporters.map(resolved),
  projects: [
    {
      ...browser,
      rootDir,
      globalSetup: resolved(browser.globalSetup),
      testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
    },
  ],
};
