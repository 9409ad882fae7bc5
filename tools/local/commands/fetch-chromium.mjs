// @ts-check
// make chromium: downloads the Chromium of the tests into .cache/tools. Without it they use another one, or say that there is none.
import { provideChromium } from '../downloads/chromium.mjs';
import { messageOf } from '../downloads/provide-tool.mjs';

await provideChromium().catch((error) => console.error(messageOf(error)));
