import { common } from '../../jest.config.mjs';

/** On the store in kubectl's cluster, one file after another: make test-cluster. */
export default {
  ...common,
  rootDir: '.',
  testMatch: ['<rootDir>/**/*.test.ts'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
  reporters: ['default', '../kit/jest/closing-line-reporter.mjs'],
};
