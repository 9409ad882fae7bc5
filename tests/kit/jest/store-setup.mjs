import { startSharedStore } from '../../e2e/_shared-store.ts';
import { afterTests } from './teardown.mjs';

/** Starts the store that tests share, once for both projects. */
export default async function startForTests() {
  if (!process.env.TEST_STORE) afterTests(await startSharedStore());
}
