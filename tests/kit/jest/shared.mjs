// On globalThis, as Jest may load this module again for the teardown.
globalThis.sharedByTests ??= { starts: new Map(), stops: [] };
const { starts, stops } = globalThis.sharedByTests;

/** Starts what tests share, once. @param name that of its file here */
export function start(name) {
  if (!starts.has(name))
    starts.set(
      name,
      import(`./${name}-setup.mjs`).then((setup) => setup.default()),
    );
  return starts.get(name);
}

/** For a setup: has that called after all tests. */
export function afterTests(stop) {
  stops.push(stop);
}

/** Stops what has been started, the last one first. */
export default async function stopAll() {
  await Promise.allSettled(starts.values());
  for (const stop of stops.reverse()) await stop();
}
