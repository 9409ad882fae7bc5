import { common } from '../../jest.config.mjs';

/** Tests of the store in the current cluster of kubectl, one file after another: make test-cluster. */
export default {
  ...common,
  rootDir: '.',
  testMatch: ['<rootDir>/**/*.test.ts'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
  reporters: ['default', '../kit/jest/closing-line-reporter.mjs'],
};
