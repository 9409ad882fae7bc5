import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { tsImport } from 'tsx/esm/api';

const { topology } = await tsImport('./tools/topology/topology.ts', import.meta.url);

export const common = {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['@store/source', 'node', 'node-addons'],
    globalsCleanup: 'off', // jest 30.5: setting a global after its "soft deletion" recurses endlessly
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
  },
};

/** A broker for the tests; projects that name the same set-up share one. */
const withKafka = {
  globalSetup: './tests/kit/jest/kafka-setup.mjs',
  globalTeardown: './tests/kit/jest/kafka-teardown.mjs',
};
const consumes = (image) => topology.services.some((service) => service.image === image && service.group);

export const browser = { ...common, displayName: 'browser', globalSetup: './tests/kit/jest/chromium-setup.mjs' };

/** Every folder of services is a project: `make jest ARGS="--selectProjects order"`. */
const services = readdirSync(new URL('services/', import.meta.url))
  .filter((name) => existsSync(new URL(`services/${name}/package.json`, import.meta.url)))
  .map((name) => ({
    ...common,
    displayName: name,
    testMatch: [`<rootDir>/services/${name}/{src,test}/**/*.test.ts`],
    ...(consumes(name) && withKafka),
  }));

export default {
  globalSetup: './tests/kit/jest/postgres-setup.mjs',
  globalTeardown: './tests/kit/jest/postgres-teardown.mjs',
  reporters: ['default', './tests/kit/jest/closing-line-reporter.mjs'],
  testTimeout: 120_000,
  // Tests wait for half of the time. Jest takes a percentage above 100 for a number of workers.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  maxConcurrency: 8,
  projects: [
    ...services,
    { ...common, displayName: 'system', testMatch: ['<rootDir>/tests/{e2e,security}/**/*.test.ts'] },
    { ...common, displayName: 'tools', testMatch: ['<rootDir>/tools/**/*.test.ts'] },
    // A short run; make test-browser is the long one.
    { ...browser, testMatch: ['<rootDir>/tests/browser/**/*.test.ts', '!**/tests/browser/long/**'] },
    { ...common, displayName: 'client', testMatch: ['<rootDir>/clients/**/*.test.ts'] },
    { ...common, displayName: 'generator', testMatch: ['<rootDir>/tests/generator/**/*.test.ts'] },
    { ...common, displayName: 'chart', testMatch: ['<rootDir>/tests/{chart,docs,gameday,release}/**/*.test.ts'] },
    // A short run; make test-faults is the long one.
    { ...common, displayName: 'faults', testMatch: ['<rootDir>/tests/faults/**/*.test.ts'] },
  ],
};
