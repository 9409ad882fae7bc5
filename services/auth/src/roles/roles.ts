import { z } from 'zod';

/** The roles of an account, and whether it is locked, since a change of either, in seconds since 1970. */
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

/** Keeps the roles and locks of all accounts in memory, for the token check: few accounts have any (contract 3.9). */
export function createRoles() {
  const known = new Map<string, AccountRoles>();

  function add(one: AccountRoles): void {
    if (one.changedAt >= (known.get(one.accountId)?.changedAt ?? 0)) known.set(one.accountId, one);
  }

  return {
    add,
    /** Returns the same array until they change. */
    of: (accountId: string): readonly string[] => known.get(accountId)?.roles ?? none,
    isLocked: (accountId: string): boolean => known.get(accountId)?.isLocked ?? false,
  };
}
