import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromiumPath, howToGetChromium } from './tests/kit/chromium.ts';
import { topology } from './tools/topology/topology.ts';

/** Node runs the tests as they are, and the files of a worker share the modules that they load. */
export const common = {
  runner: 'jest-light-runner',
  setupFilesAfterEnv: [fileURLToPath(new URL('tests/kit/jest/time-limit.mjs', import.meta.url))],
};

const inFolders = (...folders) => `**/@(${folders.join('|')})/**/*.test.ts`;
const consumers = topology.services.flatMap(({ image, group }) => (group ? `services/${image}` : []));
const withEvents = inFolders(...new Set(consumers));

if (chromiumPath === '') console.log(`Tests in a browser are skipped, there is no Chromium: ${howToGetChromium}`);

/** Tests that share a store, and a shop. */
const shop = {
  ...common,
  displayName: 'shop',
  testMatch: [inFolders('tests/browser/shop')],
  globalSetup: './tests/kit/jest/shop-setup.mjs',
};
const browser = {
  ...common,
  displayName: 'browser',
  testMatch: [inFolders('tests/browser'), '!**/tests/browser/shop/**'],
  globalSetup: './tests/kit/jest/chromium-setup.mjs',
};
export const inBrowser = chromiumPath === '' ? [] : [shop, browser];

export default {
  globalSetup: './tests/kit/jest/postgres-setup.mjs',
  globalTeardown: './tests/kit/jest/teardown.mjs',
  reporters: ['default', './tests/kit/jest/closing-line-reporter.mjs'],
  // Tests wait for half of the time. Jest takes a percentage above 100 for a number of workers.
  maxWorkers: 2 * availableParallelism(),
  projects: [
    {
      ...common,
      displayName: 'events',
      testMatch: [withEvents],
      globalSetup: './tests/kit/jest/kafka-setup.mjs',
    },
    {
      ...common,
      displayName: 'services',
      testMatch: [inFolders('services', 'clients', 'tools', 'tests/kit'), `!${withEvents}`],
    },
    {
      ...common,
      displayName: 'system',
      testMatch: [inFolders('tests/e2e', 'tests/security', 'tests/generator'), '!**/tests/e2e/shared/**'],
    },
    {
      ...common,
      displayName: 'store',
      testMatch: [inFolders('tests/e2e/shared')],
      globalSetup: './tests/kit/jest/store-setup.mjs',
    },
    {
      ...common,
      displayName: 'chart',
      testMatch: [inFolders('tests/chart', 'tests/docs', 'tests/gameday', 'tests/release')],
    },
    // A short run; make test-browser is the long one.
    ...inBrowser.map((project) => ({ ...project, testPathIgnorePatterns: ['/tests/browser/long/'] })),
    // A short run; make test-faults is the long one.
    { ...common, displayName: 'faults', testMatch: [inFolders('tests/faults')] },
  ],
};
