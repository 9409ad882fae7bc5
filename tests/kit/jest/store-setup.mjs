import { startSharedStore } from '../../e2e/_shared-store.ts';
import { afterTests } from './shared.mjs';

/** Starts the store that tests share. */
export default async function startForTests() {
  afterTests(await startSharedStore());
}
