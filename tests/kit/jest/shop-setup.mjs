import { startSharedShop } from '../../browser/_shop.ts';
import startChromium from './chromium-setup.mjs';
import startStore from './store-setup.mjs';
import { afterTests } from './teardown.mjs';

/** Starts the shop that tests share, its store and a Chromium. */
export default async function startForTests() {
  await Promise.all([startStore(), startChromium()]);
  afterTests(await startSharedShop());
}
