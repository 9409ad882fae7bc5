import type { OperationId } from './types.ts';

/**
 * The answer to a change was lost, and the client did not repeat it, or repeated it in vain. The change may or may not have happened.
 * Read the current state before you call again.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  readonly code = 'outcome-unknown';
  /** Such as `changePassword`. */
  readonly operation: OperationId;
  /** What came instead: a StoreProblem, a TimeoutError, or the error of `fetch`. */
  declare readonly cause: unknown;

  constructor(operation: OperationId, cause: unknown) {
    super(`The answer was lost, so it is not known whether ${operation} has happened.`, { cause });
    this.operation = operation;
  }
}
