import { ifReadable } from './errors.ts';

/** Kinds of things of which each change is recorded (contract 4.16). */
export const changeKinds = ['product', 'stock', 'roles', 'key', 'dead letter'] as const;

const maxName = 200;

/** An operator in the audit trail, by a name that nobody checks, without what PostgreSQL cannot store. */
export const operatorActor = (name: string) => `operator ${name.replaceAll('\0', '').slice(0, maxName)}`;

/** The one who asks, for the audit trail: the account, or an operator by `operator-name`, percent-encoded. */
export function actorOf(accountId: string | undefined, header: string | string[] | undefined): string {
  if (accountId !== undefined) return `account ${accountId}`;
  return typeof header === 'string' && header !== ''
    ? operatorActor(ifReadable(() => decodeURIComponent(header)) ?? header)
    : 'operator';
}
