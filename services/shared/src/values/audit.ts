import { ifReadable } from './errors.ts';
import { isVisible, storable } from './text.ts';

/** Kinds of things of which each change is recorded, and looks of operators at what is a customer's (contract 4.16). */
export const changeKinds = [
  'product',
  'stock',
  'roles',
  'lock',
  'key',
  'dead letter',
  'account',
  'password',
  'e-mail address',
  'session',
  'order',
  'note',
  'mail',
  'look',
] as const;

const maxName = 200;

/** An operator in the audit trail, by a name that nobody checks, as far as PostgreSQL can store it. */
export const operatorActor = (name: string) => `operator ${storable(name, maxName)}`;

/** The one who asks, for the audit trail: the account, or an operator by `operator-name`, percent-encoded. */
export function actorOf(accountId: string | undefined, header: string | string[] | undefined): string {
  if (accountId !== undefined) return `account ${accountId}`;
  const given = typeof header === 'string' ? header : '';
  const name = ifReadable(() => decodeURIComponent(given)) ?? given;
  return isVisible(name) ? operatorActor(name) : 'operator';
}
