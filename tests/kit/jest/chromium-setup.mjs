import { chromiumPath, howToGetChromium } from '../chromium.ts';

/** Says once why tests are skipped on a machine without Chromium. */
export default function lookForChromium() {
  if (chromiumPath === '') console.log(`Tests in a browser are skipped, there is no Chromium: ${howToGetChromium}`);
}
