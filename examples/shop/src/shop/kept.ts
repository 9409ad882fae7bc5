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
