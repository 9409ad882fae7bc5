/** What this browser keeps under a name; `otherwise` if there is nothing, or nothing that can be read. */
export function kept<T>(name: string, otherwise: T): T {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '') as T;
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown): void {
  localStorage.setItem(name, JSON.stringify(value));
}
