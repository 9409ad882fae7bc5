import { DomainError } from '../values/errors.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Names of what an account may do beyond every customer (contract 3.9). */
export const roleNames = ['catalogue', 'operator'] as const;
export type Role = (typeof roleNames)[number];

const noRoles: readonly string[] = [];

/** Roles of the caller: `account-roles`, set by the gateway, comma-separated. */
export const rolesOf = (header: string | string[] | undefined): readonly string[] =>
  typeof header === 'string' ? header.split(',') : noRoles;

/** The refusal of a caller, which says what is missing. */
export const lacksRole = (role: Role) =>
  new DomainError('forbidden', `Your account needs the role ${role}, which an operator of the store gives.`);

/**
 * The account on whose behalf a request comes: `id-account`, set by the gateway (contract 2.3).
 * @throws DomainError unauthenticated when the header is missing, repeated or not a UUID
 */
export function accountIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && uuidPattern.test(header)) return header.toLowerCase();
  throw new DomainError(
    'unauthenticated',
    header === undefined ? 'The header id-account is missing.' : 'The header id-account is not a UUID.',
  );
}
