import { common } from '../../jest.config.mjs';

/** Against the installed store of kubectl's cluster: make test-cluster. */
export default {
  ...common,
  rootDir: '.',
  testMatch: ['<rootDir>/*.test.ts'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
