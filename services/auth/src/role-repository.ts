import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { inTransaction } from '@store/shared/database/transaction';
import { type Role, roleNames } from '@store/shared/http/identity';
import { sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { SessionCutoff } from './ended-sessions.ts';
import type { DB } from './generated/tables.ts';
import type { AccountRoles } from './roles.ts';
import { endAllIn, notify, secondsOf } from './session-repository.ts';

export type RoleRepository = ReturnType<typeof createRoleRepository>;

const columns = [
  'account_id as accountId',
  'roles',
  sql<boolean>`locked_at is not null`.as('isLocked'),
  secondsOf('changed_at').as('changedAt'),
] as const;

export function createRoleRepository({ kysely, transactionOf }: Database<DB>) {
  const ofAccount = (on: Pick<Transaction<DB>, 'selectFrom'>, accountId: string) =>
    on.selectFrom('account_roles').select(columns).where('account_id', '=', accountId);

  /** Returns the row of an account, locked and with nothing where it is new: of two changes at a time each knows what was before. */
  async function lockRow(tx: Transaction<DB>, accountId: string): Promise<AccountRoles> {
    await tx
      .insertInto('account_roles')
      .values({ account_id: accountId, roles: [], changed_at: sql<Date>`clock_timestamp()` })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return ofAccount(tx, accountId).forUpdate().executeTakeFirstOrThrow();
  }

  /** Stores a row that is locked, and tells every replica. */
  const store = (tx: Transaction<DB>, { accountId, roles, isLocked }: AccountRoles): Promise<AccountRoles> =>
    tx
      .with('stored', (db) =>
        db
          .updateTable('account_roles')
          .set({
            roles,
            locked_at: isLocked ? sql<Date>`coalesce(locked_at, now())` : null,
            // Whichever clock: of two changes the one that is stored last counts.
            changed_at: sql`greatest(clock_timestamp(), changed_at + interval '1 microsecond')`,
          })
          .where('account_id', '=', accountId)
          .returning(columns),
      )
      .selectFrom('stored')
      .select(['accountId', 'roles', 'isLocked', 'changedAt', notify(sql`row_to_json(stored)::text`)])
      .executeTakeFirstOrThrow();

  /** @param rolesAfter what becomes of the roles; the same array if nothing does */
  const changeRoles = (actor: string, accountId: string, rolesAfter: (before: string[]) => string[]) =>
    inTransaction(kysely, async (tx): Promise<AccountRoles> => {
      const current = await lockRow(tx, accountId);
      const roles = rolesAfter(current.roles);
      if (roles === current.roles) return current;
      const [before, after] = [JSON.stringify({ roles: current.roles }), JSON.stringify({ roles })];
      await recordChange(tx, { actor, kind: 'roles', subject: accountId, before, after });
      return store(tx, { ...current, roles });
    });

  return {
    /** Replaces the roles of an account, with an entry in the audit trail, and tells every replica. */
    set: (actor: string, accountId: string, roles: Role[]) => changeRoles(actor, accountId, () => [...roles]),
    /** The same for one more. */
    give: (actor: string, accountId: string, role: Role) =>
      changeRoles(actor, accountId, (before) => (before.includes(role) ? before : [...before, role].sort())),
    /** The same for one less. */
    take: (actor: string, accountId: string, role: Role) =>
      changeRoles(actor, accountId, (before) =>
        before.includes(role) ? before.filter((one) => one !== role) : before,
      ),
    /**
     * Locks an account or lifts its lock, once or again. Either ends its sessions and API keys: none of before comes back.
     * @param ttlSeconds how long the tokens of sessions live at most
     */
    setLock: (actor: string, accountId: string, isLocked: boolean, ttlSeconds: number) =>
      transactionOf(accountId, async (tx): Promise<{ roles: AccountRoles; cutoff: SessionCutoff }> => {
        const cutoff = await endAllIn(tx, actor, accountId, ttlSeconds);
        const current = await lockRow(tx, accountId);
        if (current.isLocked !== isLocked) {
          const [before, after] = [current.isLocked, isLocked].map((locked) => JSON.stringify({ locked }));
          await recordChange(tx, { actor, kind: 'lock', subject: accountId, before, after });
        }
        return { roles: await store(tx, { ...current, isLocked }), cutoff };
      }),
    /** @returns since when an account is locked; null if it is not */
    async lockedAt(accountId: string): Promise<string | null> {
      const row = await kysely
        .selectFrom('account_roles')
        .select('locked_at')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row?.locked_at?.toISOString() ?? null;
    },
    async find(accountId: string): Promise<Role[]> {
      return z.array(z.enum(roleNames)).parse((await ofAccount(kysely, accountId).executeTakeFirst())?.roles ?? []);
    },
    async load(add: (one: AccountRoles) => void): Promise<void> {
      for (const one of await kysely.selectFrom('account_roles').select(columns).execute()) add(one);
    },
  };
}
