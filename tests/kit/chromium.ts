import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export const howToGetChromium =
  'apt-get install chromium (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

const path = process.env.CHROMIUM || '/usr/bin/chromium'; // where Debian has it
/** Empty where there is none. */
export const chromiumPath: string = existsSync(path) ? path : '';

/** The Chromium that the setup of the run has started, or one more. Closing it closes what was opened in it. */
export const openBrowser = (): Promise<Browser> =>
  process.env.TEST_CHROMIUM
    ? chromium.connect(process.env.TEST_CHROMIUM)
    : chromium.launch({ executablePath: chromiumPath });
