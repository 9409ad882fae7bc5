import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { empty, raw, type Statements, sql } from '@store/shared/database/sql';
import type { TransactionOf } from '@store/shared/database/transaction';
import { DomainError } from '@store/shared/values/errors';
import type { PrismaClient } from '../generated/client.ts';
import { changeAccess } from '../roles/role-repository.ts';
import type { AccountRoles } from '../roles/roles.ts';
import type { ServiceAccountIn, ServiceAccountOut } from '../schemas.ts';
import type { SessionCutoff } from '../sessions/ended-sessions.ts';
import { endAllIn } from '../sessions/session-repository.ts';

export type ServiceAccountRepository = ReturnType<typeof createServiceAccountRepository>;

/** Every replica keeps the roles of each account in memory, and the keys of each during a rotation of the signing key. */
const maxAccounts = 100;

/** Deleted accounts are left out. @param id default: all */
const read = ({ run }: Statements, id?: string): Promise<ServiceAccountOut[]> =>
  run(sql`
    select id, name, scopes, coalesce(roles, '{}') as roles, locked_at is not null as paused,
      created_by as "createdBy", ${raw(isoTime('created_at', 'MS'))} as "createdAt"
    from service_accounts left join account_roles on account_id = id
    where deleted_at is null ${id === undefined ? empty : sql`and id = ${id}`}
    order by created_at desc, id`);

/** @returns undefined if there is no such account or it is deleted */
async function lock(tx: TransactionOf<PrismaClient>, id: string): Promise<ServiceAccountOut | undefined> {
  // A separate statement, so that the next one sees what was committed while this one waited.
  tx.send(sql`select from service_accounts where id = ${id} for update`);
  const [account] = await read(tx, id);
  return account;
}

/** What the audit trail shows. A name may say more about a person than an id does. */
const stateOf = ({ scopes, roles, paused }: Pick<ServiceAccountOut, 'scopes' | 'roles' | 'paused'>) =>
  JSON.stringify({ scopes, roles, paused });

export function createServiceAccountRepository({ run, prisma, inTransaction }: Database<PrismaClient>) {
  return {
    /** The newest first. */
    list: () => read({ run }),

    /** Who made an account, also a deleted one, as the audit trail names them; undefined if there was none. */
    makerOf: async (id: string): Promise<string | undefined> =>
      (await prisma.serviceAccount.findUnique({ where: { id }, select: { createdBy: true } }))?.createdBy,

    find: async (id: string): Promise<ServiceAccountOut | undefined> => (await read({ run }, id))[0],

    /** @throws DomainError conflict if there are too many */
    create: (actor: string, id: string, { name, scopes, roles }: ServiceAccountIn): Promise<AccountRoles> =>
      inTransaction(async (tx) => {
        // One at a time, so that none is counted too few.
        tx.send(sql`select pg_advisory_xact_lock(hashtextextended('service accounts', 0))`);
        if ((await tx.serviceAccount.count({ where: { deletedAt: null } })) >= maxAccounts)
          throw new DomainError('conflict', `There are already ${maxAccounts} service accounts.`, {
            code: 'too-many-service-accounts',
          });
        await tx.serviceAccount.create({ data: { id, name, scopes, createdBy: actor }, select: { id: true } });
        const access = await changeAccess(tx, id, { roles });
        const after = stateOf({ scopes, roles, paused: false });
        recordChange(tx, { actor, kind: 'service account', subject: id, after });
        return access;
      }),

    /**
     * Renames an account, pauses it or resumes it. Its keys stay, and are refused while it is paused.
     * @returns undefined if there is no such account
     */
    change: (
      actor: string,
      id: string,
      { name, paused }: { name?: string | undefined; paused?: boolean | undefined },
    ): Promise<{ account: ServiceAccountOut; access?: AccountRoles } | undefined> =>
      inTransaction(async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return undefined;
        const account = { ...before, name: name ?? before.name, paused: paused ?? before.paused };
        if (account.name !== before.name)
          await tx.serviceAccount.update({ where: { id }, data: { name: account.name }, select: { id: true } });
        if (account.paused === before.paused) return { account };
        const access = await changeAccess(tx, id, { isLocked: account.paused });
        const states = { before: stateOf(before), after: stateOf(account) };
        recordChange(tx, { actor, kind: 'service account', subject: id, ...states });
        return { account, access };
      }),

    /**
     * Deletes an account and ends its keys for ever.
     * @param ttlSeconds the longest lifetime of the tokens that services get for a key
     * @returns undefined if there is no such account
     */
    delete: (
      actor: string,
      id: string,
      ttlSeconds: number,
    ): Promise<{ access: AccountRoles; cutoff: SessionCutoff } | undefined> =>
      inTransaction(async (tx) => {
        const before = await lock(tx, id);
        if (before === undefined) return undefined;
        await tx.serviceAccount.update({ where: { id }, data: { deletedAt: new Date() }, select: { id: true } });
        const cutoff = await endAllIn(tx, actor, id, ttlSeconds);
        const access = await changeAccess(tx, id, { roles: [], isLocked: true });
        recordChange(tx, { actor, kind: 'service account', subject: id, before: stateOf(before) });
        return { access, cutoff };
      }),
  };
}
