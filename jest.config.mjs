import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromiumPath, howToGetChromium } from './tests/kit/chromium.ts';
import { topology } from './tools/topology/topology.ts';

// No result depends on the machine's time zone: one that is west of UTC shows where it does.
process.env.TZ ??= 'America/Los_Angeles';

const kit = (file) => fileURLToPath(new URL(`tests/kit/jest/${file}.mjs`, import.meta.url));

/** Node runs the tests as they are, and the files of a thread share the modules that they load. */
export const common = {
  runner: kit('runner'),
  setupFilesAfterEnv: [kit('time-limit')],
};

/** A project whose files share these, which tests/kit/jest/shared.mjs starts. */
const sharing = (...shared) => ({ ...common, globals: { shared: ['postgres', ...shared] } });
/** One whose files mostly wait, for time-outs of pages or for the store. */
const waiting = (...shared) => ({ ...common, globals: { shared: ['postgres', ...shared], waits: true } });

const inFolders = (...folders) => `**/@(${folders.join('|')})/**/*.test.ts`;

/** A project per folder of services: --selectProjects order. Only those with a consumer group need a Kafka. */
const consumers = new Set(Object.values(topology.groups).map(({ image }) => image));
const services = [...topology.images, 'shared'].map((name) => ({
  ...(consumers.has(name) ? sharing('kafka') : sharing()),
  displayName: name,
  testMatch: [inFolders(`services/${name}`)],
}));

if (chromiumPath === '') console.error(`Tests in a browser are skipped, there is no Chromium: ${howToGetChromium}`);

const shop = {
  ...waiting('store', 'shop', 'chromium'),
  displayName: 'shop',
  testMatch: [inFolders('tests/browser/shop')],
};
const browser = {
  ...waiting('chromium'),
  displayName: 'browser',
  testMatch: [inFolders('tests/browser'), '!**/tests/browser/shop/**'],
};
export const inBrowser = chromiumPath === '' ? [] : [shop, browser];

export default {
  globalTeardown: './tests/kit/jest/shared.mjs',
  reporters: ['default', './tests/kit/jest/statements-reporter.mjs', './tests/kit/jest/closing-line-reporter.mjs'],
  // Tests wait for half of the time. Jest takes a percentage above 100 for a number of workers.
  maxWorkers: 2 * availableParallelism(),
  projects: [
    ...services,
    { ...sharing(), displayName: 'tools', testMatch: [inFolders('clients', 'examples', 'tools', 'tests/kit')] },
    {
      ...sharing(),
      displayName: 'system',
      testMatch: [inFolders('tests/e2e', 'tests/security', 'tests/generator'), '!**/tests/e2e/shared/**'],
    },
    { ...waiting('store'), displayName: 'store', testMatch: [inFolders('tests/e2e/shared')] },
    {
      ...sharing(),
      displayName: 'chart',
      testMatch: [inFolders('tests/chart', 'tests/docs', 'tests/release')],
    },
    // A short run; make test-browser is the long one.
    ...inBrowser.map((project) => ({ ...project, testPathIgnorePatterns: ['/tests/browser/long/'] })),
    // A short run; make test-faults is the long one.
    { ...sharing(), displayName: 'faults', testMatch: [inFolders('tests/faults')] },
  ],
};
