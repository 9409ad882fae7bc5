import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export const howToGetChromium =
  'apt-get install chromium-headless-shell (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

// Paths on Debian. The headless shell takes a third of the time, since it has no windows.
const paths = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Empty if there is none. */
export const chromiumPath: string = paths.find(existsSync) ?? '';

/** The Chromium that the Jest set-up started, or else a new one. Closing it closes everything opened in it. */
export const openBrowser = (): Promise<Browser> =>
  process.env.TEST_CHROMIUM
    ? chromium.connect(process.env.TEST_CHROMIUM)
    : chromium.launch({ executablePath: chromiumPath });

/** Opens a browser for the tests of a `describe`. @returns a function that opens a page with its own cookies until the test ends */
export function usePages(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(() => browser?.close());
  return async (options) => (await browser.newContext(options)).newPage();
}
