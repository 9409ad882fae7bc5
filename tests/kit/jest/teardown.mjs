/** Stops what the setups of a run have started, the last one first. */
export default async function stopAll() {
  for (const stop of (globalThis.stopsAfterTests ?? []).reverse()) await stop();
}

/** For a setup: has that called after all tests. */
export function afterTests(stop) {
  globalThis.stopsAfterTests = [...(globalThis.stopsAfterTests ?? []), stop];
}
