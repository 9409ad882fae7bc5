import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { headlessShells } from '../../tools/local/downloads/chromium.mjs';

export const howToGetChromium =
  'make chromium, apt-get install chromium-headless-shell (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

const paths = process.env.CHROMIUM ? [process.env.CHROMIUM] : [...headlessShells, '/usr/bin/chromium'];
/** Empty if there is none. */
export const chromiumPath: string = paths.find(existsSync) ?? '';

/** On a machine whose locale is POSIX, pages would get the language en-US@posix, which is none. */
export const launchOptions: LaunchOptions = {
  executablePath: chromiumPath,
  env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
};

/** The Chromium that the Jest set-up started, or else a new one. Closing it closes everything opened in it. */
export const openBrowser = (): Promise<Browser> =>
  process.env.TEST_CHROMIUM ? chromium.connect(process.env.TEST_CHROMIUM) : chromium.launch(launchOptions);

/** Drawing an animation without a graphics card takes a quarter of a processor. */
export const still: BrowserContextOptions = { reducedMotion: 'reduce' };

/** Opens a browser for the tests of a `describe`. @returns a function that opens a page with its own cookies until the test ends */
export function usePages(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(() => browser?.close());
  return async (options) => (await browser.newContext({ ...still, ...options })).newPage();
}
