/** A channel to the other tabs; undefined if the browser refuses, as Firefox does with its storage blocked. */
export function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

/**
 * Runs `act` in one tab at a time. Runs it at once if the browser has no Web Locks, as over plain HTTP, or refuses them, as Chrome does
 * with its storage blocked.
 */
export async function inTurn(name: string, act: () => Promise<void>): Promise<void> {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return act();
  };
  try {
    await navigator.locks.request(name, begin);
  } catch (error) {
    if (hasBegun) throw error;
    await act();
  }
}
