import type { OperationId } from './types.ts';

/**
 * The answer to a change was lost, and the client does not repeat it, or did so in vain: it may have happened, or not. Read what there
 * is before you call again.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  readonly code = 'outcome-unknown';
  /** Such as `changePassword`. */
  readonly operation: OperationId;
  /** What came instead: a StoreProblem, a TimeoutError, or what `fetch` rejects with. */
  declare readonly cause: unknown;

  constructor(operation: OperationId, cause: unknown) {
    super(`The answer was lost, so it is not known whether ${operation} has happened.`, { cause });
    this.operation = operation;
  }
}
