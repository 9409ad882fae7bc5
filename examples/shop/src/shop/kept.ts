/** `browser`: the same in all its tabs. `tab`: of this tab alone, also after a reload. */
type Place = 'browser' | 'tab';

/** What the browser does not keep, with its storage blocked or full: the page does, until it is left. */
const unkept = new Map<string, string>();

/** @throws where the browser blocks its storage */
const storage = (place: Place) => (place === 'tab' ? sessionStorage : localStorage);

/** Returns what is kept under a name; `fallback` if that is nothing, or cannot be read. */
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
    // Then it has kept nothing.
  }
}

/** crypto.randomUUID is for secure contexts only; a store of one's own may be reached by plain HTTP. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
