import { DomainError } from '../values/errors.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

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
