import { tryParse } from './errors.ts';
import { isVisible, storable } from './text.ts';

/** Record types whose changes are audited. `look`: an operator has viewed a customer's data (contract 4.16). */
export const changeKinds = [
  'product',
  'stock',
  'roles',
  'lock',
  'key',
  'service account',
  'webhook',
  'dead letter',
  'account',
  'password',
  'e-mail address',
  'session',
  'order',
  'payment',
  'refund',
  'note',
  'mail',
  'look',
] as const;

const maxName = 200;

/** An operator in the audit trail. The name is not verified; characters that PostgreSQL cannot store are removed. */
export const operatorActor = (name: string) => `operator ${storable(name, maxName)}`;

const accountPattern = /^(account|operator) ([\da-f-]{36})$/;

/** The account that acted, as itself or as an operator; undefined for whoever typed a name, and for services. */
export function accountOfActor(actor: string): { as: 'account' | 'operator'; accountId: string } | undefined {
  const [, as, accountId] = accountPattern.exec(actor) ?? [];
  return accountId === undefined ? undefined : { as: as === 'operator' ? as : 'account', accountId };
}

/** The caller, as the audit trail names it: the account, or an operator by the percent-encoded `operator-name`. */
export function actorOf(accountId: string | undefined, header: string | string[] | undefined): string {
  if (accountId !== undefined) return `account ${accountId}`;
  const given = typeof header === 'string' ? header : '';
  const name = tryParse(() => decodeURIComponent(given)) ?? given;
  return isVisible(name) ? operatorActor(name) : 'operator';
}
