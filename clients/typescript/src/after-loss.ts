import type { OperationId } from './types.ts';

/** What the client does if the answer to an attempt was lost, so the change may have happened. */
export interface AfterLoss {
  /** Send it again. A repetition has the same effect, or finds the work done. */
  isRepeatable: boolean;
  /** Reject with OutcomeUnknown if no answer comes. A second call may do the work twice or be refused. */
  reportsUnknown: boolean;
  /**
   * What the refusal of a repetition says about the previous attempt; undefined if that attempt had no effect.
   * @param lostBy status that came instead of its answer, if any
   */
  readRefusal(status: number, lostBy: number | undefined): 'done' | 'unclear' | undefined;
}

const repeat: AfterLoss = { isRepeatable: true, reportsUnknown: false, readRefusal: () => undefined };
/** Not repeated, but a second call does no harm. */
const giveUp: AfterLoss = { ...repeat, isRepeatable: false };
const reportUnknown: AfterLoss = { ...giveUp, reportsUnknown: true };

const byMethod = {
  get: repeat,
  put: repeat,
  delete: { ...repeat, readRefusal: (status) => (status === 404 ? 'done' : undefined) },
  patch: giveUp,
  post: reportUnknown,
} satisfies Record<string, AfterLoss>;

/** Operations that get an Idempotency-Key, unless the caller has given one (contract 4.7). */
const keyed: ReadonlySet<OperationId> = new Set<OperationId>(['placeOrder', 'shipOrder']);
export const takesKey = (id: OperationId): boolean => keyed.has(id);

/** Operations that differ from the rule for their method. */
const exceptions: { readonly [Id in OperationId]?: AfterLoss } = {
  // With the same idempotency key.
  placeOrder: repeat,
  shipOrder: repeat,
  refundOrder: repeat, // with the key that it requires
  cancelOrder: repeat,
  changeOrder: repeat,
  confirmEmail: repeat,
  resolveToken: repeat,
  // A wrong password counts against a limit, and so does a mail.
  logIn: giveUp,
  requestPasswordReset: giveUp,
  // Their session ends before the answer.
  changePassword: reportUnknown,
  endSessions: { ...repeat, reportsUnknown: true, readRefusal: (status) => (status === 401 ? 'done' : undefined) },
  deleteAccount: {
    ...repeat,
    reportsUnknown: true,
    readRefusal(status, lostBy) {
      if (status === 404) return 'done';
      // Sessions end before their account is deleted, so after 503 only the deletion may have failed.
      if (status === 401) return lostBy === 503 ? 'unclear' : 'done';
      return undefined;
    },
  },
  // Operators who remove their own role may not repeat it.
  setRoles: { ...repeat, readRefusal: (status) => (status === 403 ? 'unclear' : undefined) },
};

/**
 * @param isGuarded true if a change demands a version (contract 4.12): a repetition would find its own change and be refused
 * @param hasOwnKey true if the caller knows the key of an order or shipment: without it the caller cannot repeat the same one
 */
export function afterLoss(
  id: OperationId,
  method: keyof typeof byMethod,
  { isGuarded, hasOwnKey }: { isGuarded: boolean; hasOwnKey: boolean },
): AfterLoss {
  if (isGuarded && method !== 'get') return reportUnknown;
  const rule = exceptions[id] ?? byMethod[method];
  return takesKey(id) && !hasOwnKey ? { ...rule, reportsUnknown: true } : rule;
}
