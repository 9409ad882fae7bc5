import { chromium } from 'playwright-core';
import { chromiumPath } from '../chromium.ts';
import { afterTests } from './shared.mjs';

/** Starts the Chromium that the tests of all files share. */
export default async function startForTests() {
  const server = await chromium.launchServer({ executablePath: chromiumPath });
  process.env.TEST_CHROMIUM = server.wsEndpoint();
  afterTests(() => server.close());
}
