/** Something that happened to an object: a client's request, or a change that the store announced with an event. */
export interface Operation<Action> {
  action: Action;
  /** The operation took effect between these two times, in ms since the epoch. */
  invokedAt: number;
  /** Infinity if the outcome is unknown: the operation may have taken effect at any later time, or never. */
  respondedAt: number;
  /** Operations with the same sequence took effect in the order in which the history lists them. */
  sequence?: string;
}

/** The object's behaviour under sequential operations. States and actions are JSON. */
export interface Model<State, Action> {
  initial: State;
  /** Every state in which the action may leave the object; none if it cannot happen in that state. */
  next(state: State, action: Action): State[];
  /** True if the action changes nothing in any state. */
  isRead?(action: Action): boolean;
}

/** Why a history is not linearizable. */
export interface Violation<State, Action> {
  /** The longest order of operations that the model allows. */
  explained: Operation<Action>[];
  /** The state after them. */
  state: State;
  /** The next operations, none of which the model allows. */
  inexplicable: Operation<Action>[];
}

/** The search fails beyond this number. A history of the fault tests needs about as many as it has operations. */
const maxConfigurations = 200_000;

/**
 * Searches for an order of the operations that the model allows and that respects real time: an operation that responded
 * before another was invoked comes first. This is linearizability (Herlihy and Wing, 1990). The algorithm is by Wing and Gong
 * (1993), with the cache of Lowe (2017), which never tries the same set of operations with the same state twice.
 * @throws Error if the search takes too many steps
 */
export function findViolation<State, Action>(
  { initial, next, isRead = () => false }: Model<State, Action>,
  history: Operation<Action>[],
): Violation<State, Action> | undefined {
  const isKnown = ({ respondedAt }: Operation<Action>) => respondedAt !== Number.POSITIVE_INFINITY;
  const byInvocation = history.toSorted((a, b) => a.invokedAt - b.invokedAt);
  const bits = new Map(byInvocation.map((operation, index) => [operation, 1n << BigInt(index)]));
  const names = new Map(history.map((operation) => [operation, JSON.stringify(operation.action)]));
  const predecessors = predecessorsIn(history);

  const chosen: Operation<Action>[] = [];
  const isChosen = new Set<Operation<Action>>();
  const tried = new Set<string>();
  let furthest: Violation<State, Action> | undefined;

  /** The operations that may come next: those invoked before any other remaining operation responded. */
  function enabled(): Operation<Action>[] {
    let firstResponse = Number.POSITIVE_INFINITY;
    const found: Operation<Action>[] = [];
    for (const operation of byInvocation) {
      if (operation.invokedAt > firstResponse) break;
      if (isChosen.has(operation)) continue;
      const predecessor = predecessors.get(operation);
      if (predecessor === undefined || isChosen.has(predecessor)) found.push(operation);
      firstResponse = Math.min(firstResponse, operation.respondedAt);
    }
    found.sort((a, b) => (a.respondedAt === b.respondedAt ? 0 : a.respondedAt - b.respondedAt));
    // Of equal actions, the first to respond can always come first, unless a sequence constrains one of them.
    const seen = new Set<string | undefined>();
    return found.filter((operation) => {
      const name = names.get(operation);
      return operation.sequence !== undefined || (!seen.has(name) && seen.add(name));
    });
  }

  /** @param mask a bit for each chosen operation */
  function search(mask: bigint, open: number, state: State): boolean {
    if (open === 0) return true;
    const configuration = `${mask.toString(36)} ${JSON.stringify(state)}`;
    if (tried.has(configuration)) return false;
    if (tried.size === maxConfigurations) throw new Error(`No decision after ${maxConfigurations} configurations.`);
    tried.add(configuration);

    const candidates = enabled();
    if (furthest === undefined || chosen.length > furthest.explained.length) {
      furthest = { explained: [...chosen], state, inexplicable: candidates };
    }
    for (const operation of candidates) {
      for (const following of next(state, operation.action)) {
        chosen.push(operation);
        isChosen.add(operation);
        const after = mask | (bits.get(operation) ?? 0n);
        if (search(after, open - Number(isKnown(operation)), following)) return true;
        chosen.pop();
        isChosen.delete(operation);
        if (isRead(operation.action)) return false; // a read changes nothing, so choosing it later would not help
      }
    }
    return false;
  }

  return search(0n, history.filter(isKnown).length, initial) ? undefined : furthest;
}

/** Maps each operation to its predecessor in its sequence. */
function predecessorsIn<Action>(history: Operation<Action>[]): Map<Operation<Action>, Operation<Action>> {
  const sequences = Map.groupBy(history, ({ sequence }) => sequence);
  sequences.delete(undefined);
  const pairs = [...sequences.values()].flatMap((all) => all.slice(1).map((one, index) => [one, all[index]] as const));
  return new Map(pairs as [Operation<Action>, Operation<Action>][]);
}
