/** @throws Error that lists the known names, if the name is unknown */
export function lookUp<T>(kind: string, all: Record<string, T>, name: string): T {
  const found = all[name];
  if (found !== undefined && Object.hasOwn(all, name)) return found;
  throw new Error(`There is no ${kind} ${name}. The ${kind}s are: ${Object.keys(all).join(', ')}.`);
}
