import { tsImport } from 'tsx/esm/api';

/** Says once why tests are skipped on a machine without Chromium. */
export default async function lookForChromium() {
  const { chromiumPath, howToGetChromium } = await tsImport('../chromium.ts', import.meta.url);
  if (chromiumPath === '') console.log(`Tests in a browser are skipped, there is no Chromium: ${howToGetChromium}`);
}
