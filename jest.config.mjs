/** Every service is a project of its own: `npm test -- --selectProjects order`. */
export const common = {
  testEnvironment: 'node',
  testEnvironmentOptions: {
    customExportConditions: ['source', 'node', 'node-addons'],
    globalsCleanup: 'off', // jest 30.5: a global set after its "soft deletion" is an endless recursion
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
  },
};

const service = (name, more = {}) => ({
  ...common,
  displayName: name,
  testMatch: [`<rootDir>/services/${name}/{src,test}/**/*.test.ts`],
  ...more,
});

/** With a broker of its own; projects that name the same set-up share one. */
const withKafka = {
  globalSetup: './tests/kit/jest/kafka-setup.mjs',
  globalTeardown: './tests/kit/jest/kafka-teardown.mjs',
};

export default {
  globalSetup: './tests/kit/jest/postgres-setup.mjs',
  globalTeardown: './tests/kit/jest/postgres-teardown.mjs',
  reporters: ['default', './tests/kit/jest/closing-line-reporter.mjs'],
  testTimeout: 120_000,
  projects: [
    service('shared'),
    service('auth'),
    service('account'),
    service('product'),
    service('order', withKafka),
    service('inventory', withKafka),
    service('payment', withKafka),
    service('consumers', withKafka),
    service('status'),
    { ...common, displayName: 'system', testMatch: ['<rootDir>/tests/{e2e,security}/**/*.test.ts'] },
    { ...common, displayName: 'chart', testMatch: ['<rootDir>/tests/chart/**/*.test.ts'] },
    // Its short form; the long one is make test-faults.
    { ...common, displayName: 'faults', testMatch: ['<rootDir>/tests/faults/**/*.test.ts'] },
  ],
};
