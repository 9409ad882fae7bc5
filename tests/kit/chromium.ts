import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export const howToGetChromium =
  'apt-get install chromium-headless-shell (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

// Where Debian has them. The shell takes a third of the time, since it has no windows.
const paths = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Empty where there is none. */
export const chromiumPath: string = paths.find(existsSync) ?? '';

/** The Chromium that the setup of the run has started, or one more. Closing it closes what was opened in it. */
export const openBrowser = (): Promise<Browser> =>
  process.env.TEST_CHROMIUM
    ? chromium.connect(process.env.TEST_CHROMIUM)
    : chromium.launch({ executablePath: chromiumPath });
