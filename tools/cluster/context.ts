/** For kubectl (--context) and Helm (--kube-context): the cluster that CONTEXT names; empty, they take their current one. */
export const contextOf = (option: '--context' | '--kube-context'): string[] =>
  process.env.CONTEXT ? [option, process.env.CONTEXT] : [];
