/** Something that happened to an object: a client's request, or a change that the store announced by an event. */
export interface Operation<Action> {
  action: Action;
  /** It took effect between these two times, in ms since the epoch. */
  invokedAt: number;
  /** Infinity: its outcome is unknown, so it may have taken effect at any later time, or never. */
  respondedAt: number;
  /** Operations with the same sequence took effect in the order in which the history lists them. */
  sequence?: string;
}

/** The object's behaviour when operations follow one another. States and actions are JSON. */
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
  /** Where it leads. */
  state: State;
  /** The operations that come next, none of which the model allows. */
  inexplicable: Operation<Action>[];
}

/** Beyond this the search counts as failed; a history of the fault tests needs about as many as it has operations. */
const mostConfigurations = 200_000;

/**
 * Searches an order of the operations that respects real time (an operation that responded before another was invoked
 * comes first) and that the model allows: linearizability as in Herlihy and Wing (1990). The search is that of Wing and
 * Gong (1993) with the memory of Lowe (2017): what was operated on, and the state, are not tried twice.
 * @throws Error if that takes too many steps
 */
export function findViolation<State, Action>(
  { initial, next, isRead = () => false }: Model<State, Action>,
  history: Operation<Action>[],
): Violation<State, Action> | undefined {
  const isKnown = ({ respondedAt }: Operation<Action>) => respondedAt !== Number.POSITIVE_INFINITY;
  const byInvocation = [...history].sort((a, b) => a.invokedAt - b.invokedAt);
  const known = byInvocation.filter(isKnown);
  const unknown = byInvocation.filter((operation) => !isKnown(operation));
  const names = new Map(history.map((operation) => [operation, JSON.stringify(operation.action)]));
  const predecessors = predecessorsIn(history);

  const chosen: Operation<Action>[] = [];
  const isChosen = new Set<Operation<Action>>();
  const tried = new Set<string>();
  let furthest: Violation<State, Action> | undefined;

  /** The operations that may come next. `from`: all known ones before it are chosen. */
  function enabled(from: number): Operation<Action>[] {
    let firstResponse = Number.POSITIVE_INFINITY;
    const found: Operation<Action>[] = [];
    for (let index = from; index < known.length; index += 1) {
      const operation = known[index] as Operation<Action>;
      if (operation.invokedAt > firstResponse) break;
      if (isChosen.has(operation)) continue;
      const predecessor = predecessors.get(operation);
      if (predecessor === undefined || isChosen.has(predecessor)) found.push(operation);
      firstResponse = Math.min(firstResponse, operation.respondedAt);
    }
    found.sort((a, b) => a.respondedAt - b.respondedAt);
    found.push(...unknown.filter((one) => !isChosen.has(one) && one.invokedAt <= firstResponse));
    // Among equal actions the first to respond can always come first, unless others wait for one of them.
    const seen = new Set<string | undefined>();
    return found.filter((operation) => {
      const name = names.get(operation);
      return operation.sequence !== undefined || (!seen.has(name) && seen.add(name));
    });
  }

  /** Returns the key of a configuration: which operations are chosen, and where they lead. */
  function configuration(from: number, state: State): string {
    const ahead: number[] = [];
    for (let index = from; ahead.length < isChosen.size - from && index < known.length; index += 1) {
      if (isChosen.has(known[index] as Operation<Action>)) ahead.push(index);
    }
    const optional = unknown.flatMap((operation, index) => (isChosen.has(operation) ? [index] : []));
    return `${from} ${ahead} ${optional} ${JSON.stringify(state)}`;
  }

  function search(start: number, state: State): boolean {
    let from = start;
    while (from < known.length && isChosen.has(known[from] as Operation<Action>)) from += 1;
    if (from === known.length) return true;
    const key = configuration(from, state);
    if (tried.has(key)) return false;
    if (tried.size === mostConfigurations) throw new Error(`No decision after ${mostConfigurations} configurations.`);
    tried.add(key);

    const candidates = enabled(from);
    if (furthest === undefined || chosen.length > furthest.explained.length) {
      furthest = { explained: [...chosen], state, inexplicable: candidates };
    }
    for (const operation of candidates) {
      for (const following of next(state, operation.action)) {
        chosen.push(operation);
        isChosen.add(operation);
        if (search(from, following)) return true;
        chosen.pop();
        isChosen.delete(operation);
        if (isRead(operation.action)) return false; // what does not follow it now would not follow it later either
      }
    }
    return false;
  }

  return search(0, initial) ? undefined : furthest;
}

function predecessorsIn<Action>(history: Operation<Action>[]): Map<Operation<Action>, Operation<Action>> {
  const predecessors = new Map<Operation<Action>, Operation<Action>>();
  const last = new Map<string, Operation<Action>>();
  for (const operation of history) {
    if (operation.sequence === undefined) continue;
    const predecessor = last.get(operation.sequence);
    if (predecessor !== undefined) predecessors.set(operation, predecessor);
    last.set(operation.sequence, operation);
  }
  return predecessors;
}
