import { recordChange } from '@store/shared/database/audit';
import { inTransaction } from '@store/shared/database/transaction';
import { type Role, roleNames } from '@store/shared/http/identity';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { DB } from './generated/tables.ts';
import type { AccountRoles } from './roles.ts';
import { notify, secondsOf } from './session-repository.ts';

export type RoleRepository = ReturnType<typeof createRoleRepository>;

const columns = ['account_id as accountId', 'roles', secondsOf('changed_at').as('changedAt')] as const;

export function createRoleRepository(kysely: Kysely<DB>) {
  return {
    /** Replaces the roles of an account, with an entry in the audit trail, and tells every replica. */
    set(actor: string, accountId: string, roles: Role[]): Promise<AccountRoles> {
      return inTransaction(kysely, async (tx) => {
        // Locked and with none where it is new, so that of two changes at a time each knows what was before.
        await tx
          .insertInto('account_roles')
          .values({ account_id: accountId, roles: [], changed_at: sql<Date>`clock_timestamp()` })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const ofAccount = tx.selectFrom('account_roles').select('roles').where('account_id', '=', accountId);
        const before = JSON.stringify(await ofAccount.forUpdate().executeTakeFirstOrThrow());
        const after = JSON.stringify({ roles });
        await recordChange(tx, { actor, kind: 'roles', subject: accountId, before, after });
        return tx
          .with('stored', (db) =>
            db
              .updateTable('account_roles')
              .set({
                roles,
                // Whichever clock: of two changes the one that is stored last counts.
                changed_at: sql`greatest(clock_timestamp(), changed_at + interval '1 microsecond')`,
              })
              .where('account_id', '=', accountId)
              .returning(columns),
          )
          .selectFrom('stored')
          .select(['accountId', 'roles', 'changedAt', notify(sql`row_to_json(stored)::text`)])
          .executeTakeFirstOrThrow();
      });
    },
    async find(accountId: string): Promise<Role[]> {
      const ofAccount = kysely.selectFrom('account_roles').select('roles').where('account_id', '=', accountId);
      return z.array(z.enum(roleNames)).parse((await ofAccount.executeTakeFirst())?.roles ?? []);
    },
    async load(add: (one: AccountRoles) => void): Promise<void> {
      for (const one of await kysely.selectFrom('account_roles').select(columns).execute()) add(one);
    },
  };
}
