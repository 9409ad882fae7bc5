import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export const howToGetChromium =
  'apt-get install chromium (Debian), or set CHROMIUM to the path of a Chromium or Chrome';

/** CHROMIUM, or where Debian has it. */
export const chromiumPath: string =
  [process.env.CHROMIUM, '/usr/bin/chromium'].find((path) => path && existsSync(path)) ?? '';
if (chromiumPath === '') console.log(`Chromium is not there: ${howToGetChromium}`);

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath });
