/** `browser`: shared by all tabs. `tab`: only for this tab, and kept across reloads. */
type Place = 'browser' | 'tab';

/** Values that the browser cannot store, because its storage is blocked or full. They last until the page is left. */
const unstored = new Map<string, string>();

/** @throws if the browser blocks its storage */
const storageOf = (place: Place) => (place === 'tab' ? sessionStorage : localStorage);

/** Reads a JSON value; `fallback` if it is missing or unreadable. */
export function stored<T>(key: string, fallback: T, place: Place = 'browser'): T {
  try {
    return JSON.parse(unstored.get(key) ?? storageOf(place).getItem(key) ?? '') as T;
  } catch {
    return fallback;
  }
}

export function keep(key: string, value: unknown, place: Place = 'browser'): void {
  const text = JSON.stringify(value);
  try {
    storageOf(place).setItem(key, text);
    unstored.delete(key);
  } catch {
    unstored.set(key, text);
  }
}

export function drop(key: string, place: Place = 'browser'): void {
  unstored.delete(key);
  try {
    storageOf(place).removeItem(key);
  } catch {
    // Storage is blocked, so it holds nothing.
  }
}

/** crypto.randomUUID exists in secure contexts only, but a store may be served over plain HTTP. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
