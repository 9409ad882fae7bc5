import { chromium } from 'playwright-core';
import { chromiumPath } from '../chromium.ts';
import { afterTests } from './teardown.mjs';

/** Starts the Chromium that the tests of all files share. */
export default async function startForTests() {
  if (process.env.TEST_CHROMIUM) return;
  const server = await chromium.launchServer({ executablePath: chromiumPath });
  process.env.TEST_CHROMIUM = server.wsEndpoint();
  afterTests(() => server.close());
}
