/** Returns what this browser, or only this tab, keeps under a name; `otherwise` if that is nothing, or cannot be read. */
export function kept<T>(name: string, otherwise: T, where = localStorage): T {
  try {
    return JSON.parse(where.getItem(name) ?? '') as T;
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown, where = localStorage): void {
  where.setItem(name, JSON.stringify(value));
}

/** crypto.randomUUID is for secure contexts only; a store of one's own may be reached by plain HTTP. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
