import config, { common } from '../../jest.config.mjs';

// The long form of the project browser: with the tests in long/.
const { projects, ...shared } = config;
export default {
  ...shared,
  rootDir: '../..',
  projects: [
    { ...common, displayName: 'browser', rootDir: '../..', testMatch: ['<rootDir>/tests/browser/**/*.test.ts'] },
  ],
};
