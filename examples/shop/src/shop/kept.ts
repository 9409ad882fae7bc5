/** `browser`: shared by all tabs. `tab`: only for this tab, and kept across reloads. */
type Place = 'browser' | 'tab';

/** Values that the browser cannot store, because its storage is blocked or full. They last until the page is left. */
const unkept = new Map<string, string>();

/** @throws if the browser blocks its storage */
const storage = (place: Place) => (place === 'tab' ? sessionStorage : localStorage);

/** Reads a JSON value; `fallback` if it is missing or unreadable. */
export function kept<T>(name: string, fallback: T, place: Place = 'browser'): T {
  try {
    return JSON.parse(unkept.get(name) ?? storage(place).getItem(name) ?? '') as T;
  } catch {
    return fallback;
  }
}

export function keep(name: string, value: unknown, place: Place = 'browser'): void {
  const text = JSON.stringify(value);
  try {
    storage(place).setItem(name, text);
    unkept.delete(name);
  } catch {
    unkept.set(name, text);
  }
}

export function drop(name: string, place: Place = 'browser'): void {
  unkept.delete(name);
  try {
    storage(place).removeItem(name);
  } catch {
    // Storage is blocked, so it holds nothing.
  }
}

/** crypto.randomUUID exists in secure contexts only, but a store may be served over plain HTTP. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
