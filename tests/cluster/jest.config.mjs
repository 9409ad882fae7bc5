import { common } from '../../jest.config.mjs';

process.env.TEST_LIMIT_MS = String(30 * 60_000);

/** Tests of the store in kubectl's current cluster, one file after another: make test-cluster. */
export default {
  ...common,
  rootDir: '.',
  testMatch: ['<rootDir>/**/*.test.ts'],
  maxWorkers: 1,
  reporters: ['default', '../kit/jest/closing-line-reporter.mjs'],
};
