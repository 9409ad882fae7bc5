import type { OperationId } from './types.ts';

/** What the client does where the answer to an attempt was lost, so that it may have happened. */
export interface AfterLoss {
  /** Send it again: that does the same, or finds it done. */
  repeats: boolean;
  /** Reject with OutcomeUnknown where no answer comes: a call again may do it twice, or be refused. */
  tells: boolean;
  /**
   * What a refusal of a repetition says of the attempt before; undefined if that has not happened.
   * @param lostBy status that came in place of its answer, if any
   */
  finds(status: number, lostBy: number | undefined): 'done' | 'unclear' | undefined;
}

const repeat: AfterLoss = { repeats: true, tells: false, finds: () => undefined };
/** Not repeated, but whoever calls again does no harm. */
const leave: AfterLoss = { ...repeat, repeats: false };
const tell: AfterLoss = { ...leave, tells: true };

const byMethod = {
  get: repeat,
  put: repeat,
  delete: { ...repeat, finds: (status) => (status === 404 ? 'done' : undefined) },
  patch: leave,
  post: tell,
} satisfies Record<string, AfterLoss>;

/** Operations that differ from others of their method. */
const exceptions: { readonly [Id in OperationId]?: AfterLoss } = {
  placeOrder: repeat, // under its key
  cancelOrder: repeat,
  changeOrder: repeat,
  confirmEmail: repeat,
  resolveToken: repeat,
  // A wrong password counts, and so does a mail.
  logIn: leave,
  requestPasswordReset: leave,
  // Their session ends before the answer.
  changePassword: tell,
  endSessions: { ...repeat, tells: true, finds: (status) => (status === 401 ? 'done' : undefined) },
  deleteAccount: {
    ...repeat,
    tells: true,
    finds(status, lostBy) {
      if (status === 404) return 'done';
      // Sessions end before their account is deleted, and 503 may say that only the deletion has failed.
      if (status === 401) return lostBy === 503 ? 'unclear' : 'done';
      return undefined;
    },
  },
  // Whoever takes the role of an operator from themselves may not do so again.
  setRoles: { ...repeat, finds: (status) => (status === 403 ? 'unclear' : undefined) },
};

/**
 * @param isGuarded true if a change demands a state (contract 4.12): a repetition would take the change for somebody else's
 * @param hasOwnKey true if it is an order whose key the caller knows: without it nobody can call again for the same order
 */
export function afterLoss(
  id: OperationId,
  method: keyof typeof byMethod,
  { isGuarded, hasOwnKey }: { isGuarded: boolean; hasOwnKey: boolean },
): AfterLoss {
  if (isGuarded && method !== 'get') return tell;
  const rule = exceptions[id] ?? byMethod[method];
  return id === 'placeOrder' && !hasOwnKey ? { ...rule, tells: true } : rule;
}

/** Statuses that come from the way to a service, which may have done what was asked. */
const lost = new Set([502, 503, 504]);

/** @param status of the reply; undefined if there is none */
export const isLost = (status: number | undefined): boolean => status === undefined || lost.has(status);
