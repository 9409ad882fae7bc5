import { startSharedShop } from '../../browser/_shop.ts';
import { afterTests, start } from './shared.mjs';

/** Starts the shop that tests share, for the store that they share. */
export default async function startForTests() {
  await start('store');
  afterTests(await startSharedShop());
}
