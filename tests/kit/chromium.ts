import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export const howToGetChromium =
  'apt-get install chromium (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

const path = process.env.CHROMIUM || '/usr/bin/chromium'; // where Debian has it
/** Empty where there is none. */
export const chromiumPath: string = existsSync(path) ? path : '';

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath });
