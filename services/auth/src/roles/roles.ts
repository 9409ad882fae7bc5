import { z } from 'zod';

/** The roles and lock of an account. `changedAt` is when either last changed, in seconds since 1970. */
export const accountRoles = z.object({
  accountId: z.string(),
  roles: z.array(z.string()),
  // A replica of the previous release leaves it out.
  isLocked: z.boolean().default(false),
  changedAt: z.number(),
});

export type AccountRoles = z.output<typeof accountRoles>;
export type Roles = ReturnType<typeof createRoles>;

const none: readonly string[] = [];

/** Keeps all roles and locks in memory for the token check, because few accounts have any (contract 3.9). */
export function createRoles() {
  const known = new Map<string, AccountRoles>();

  function add(one: AccountRoles): void {
    if (one.changedAt >= (known.get(one.accountId)?.changedAt ?? 0)) known.set(one.accountId, one);
  }

  return {
    add,
    /** Returns the same array until `add` is called for the account. */
    of: (accountId: string): readonly string[] => known.get(accountId)?.roles ?? none,
    isLocked: (accountId: string): boolean => known.get(accountId)?.isLocked ?? false,
  };
}
