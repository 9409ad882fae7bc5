/** A promise that is resolved from outside, with which a test holds something back. */
export function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
