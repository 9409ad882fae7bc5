import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { type Role, roleNames } from '@store/shared/http/identity';
import { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import type { SessionCutoff } from '../sessions/ended-sessions.ts';
import { endAllIn, notify, secondsOf } from '../sessions/session-repository.ts';
import type { AccountRoles } from './roles.ts';

export type RoleRepository = ReturnType<typeof createRoleRepository>;

const columns = sql`
  account_id as "accountId", roles, locked_at is not null as "isLocked", ${secondsOf('changed_at')} as "changedAt"`;

/** Locks and returns the row of an account, creating an empty one if needed. So each of two concurrent changes sees the state before it. */
async function lockRow({ run, send }: Transaction, accountId: string): Promise<AccountRoles> {
  send(sql`
    insert into account_roles (account_id, roles, changed_at) values (${accountId}, '{}', clock_timestamp())
    on conflict do nothing`);
  const [row] = (await run(sql`
    select ${columns} from account_roles where account_id = ${accountId} for update`)) as [AccountRoles];
  return row;
}

/** Stores a locked row and notifies every replica. */
async function store({ run }: Transaction, { accountId, roles, isLocked }: AccountRoles): Promise<AccountRoles> {
  // `changed_at` grows with each change even if the clock goes back, so the change stored last wins.
  const [stored] = (await run(sql`
    with stored as (
      update account_roles set
        roles = ${roles},
        locked_at = case when ${isLocked} then coalesce(locked_at, now()) end,
        changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
      where account_id = ${accountId}
      returning ${columns}
    )
    select stored.*, ${notify(sql`row_to_json(stored)::text`)} from stored`)) as [AccountRoles];
  return stored;
}

/** Changes roles or lock of an account in a transaction, and notifies every replica. Ends no session and no key. */
export const changeAccess = async (
  tx: Transaction,
  accountId: string,
  change: Partial<Pick<AccountRoles, 'roles' | 'isLocked'>>,
): Promise<AccountRoles> => store(tx, { ...(await lockRow(tx, accountId)), ...change });

export function createRoleRepository({ prisma, run, inTransaction, transactionOf }: Database<PrismaClient>) {
  /** @param rolesAfter returns the new roles, or the same array if they do not change */
  const changeRoles = (actor: string, accountId: string, rolesAfter: (before: string[]) => string[]) =>
    inTransaction(async (tx): Promise<AccountRoles> => {
      const current = await lockRow(tx, accountId);
      const roles = rolesAfter(current.roles);
      if (roles === current.roles) return current;
      const [before, after] = [JSON.stringify({ roles: current.roles }), JSON.stringify({ roles })];
      recordChange(tx, { actor, kind: 'roles', subject: accountId, before, after });
      return store(tx, { ...current, roles });
    });

  return {
    /** Replaces the roles of an account, adds an entry to the audit trail, and notifies every replica. */
    set: (actor: string, accountId: string, roles: Role[]) => changeRoles(actor, accountId, () => [...roles]),
    /** Adds a role in the same way. */
    give: (actor: string, accountId: string, role: Role) =>
      changeRoles(actor, accountId, (before) => (before.includes(role) ? before : [...before, role].sort())),
    /** Removes a role in the same way. */
    take: (actor: string, accountId: string, role: Role) =>
      changeRoles(actor, accountId, (before) =>
        before.includes(role) ? before.filter((one) => one !== role) : before,
      ),
    /**
     * Locks an account or unlocks it. Idempotent. Both end its sessions and API keys, so none from before the lock works afterwards.
     * @param ttlSeconds maximum lifetime of session tokens
     */
    setLock: (actor: string, accountId: string, isLocked: boolean, ttlSeconds: number) =>
      transactionOf(accountId, async (tx): Promise<{ roles: AccountRoles; cutoff: SessionCutoff }> => {
        const cutoff = await endAllIn(tx, actor, accountId, ttlSeconds);
        const current = await lockRow(tx, accountId);
        if (current.isLocked !== isLocked) {
          const [before, after] = [current.isLocked, isLocked].map((locked) => JSON.stringify({ locked }));
          recordChange(tx, { actor, kind: 'lock', subject: accountId, before, after });
        }
        return { roles: await store(tx, { ...current, isLocked }), cutoff };
      }),
    /** @returns when the account was locked; null if it is not locked */
    async lockedAt(accountId: string): Promise<string | null> {
      const row = await prisma.accountRoles.findUnique({ where: { accountId }, select: { lockedAt: true } });
      return row?.lockedAt?.toISOString() ?? null;
    },
    async find(accountId: string): Promise<Role[]> {
      const row = await prisma.accountRoles.findUnique({ where: { accountId }, select: { roles: true } });
      return z.array(z.enum(roleNames)).parse(row?.roles ?? []);
    },
    async load(add: (one: AccountRoles) => void): Promise<void> {
      for (const one of await run<AccountRoles>(sql`select ${columns} from account_roles`)) add(one);
    },
  };
}
