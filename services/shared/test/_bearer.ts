import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { BearerValidator } from '../src/auth/bearer.ts';
import { requireScope, type Scope } from '../src/http/identity.ts';
import { DomainError } from '../src/values/errors.ts';

export const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
export const otherId = '00000000-0000-4000-8000-000000000001';

/** Claims of a token that begins now and ends in a minute. */
export const newClaims = (now = Math.floor(Date.now() / 1000)): JWTPayload => ({
  iss: 'store',
  aud: 'store-platform',
  sub: accountId,
  iat: now,
  nbf: now,
  exp: now + 60,
});

/** Expectations of a route. */
export interface Expected {
  accountId?: string;
  scope?: Scope;
}

/** Checks a header like a route. */
export async function prove(
  validator: BearerValidator,
  authorization: string | undefined,
  { accountId: expectedId = accountId, scope }: Expected = {},
) {
  const proven = await validator(authorization, expectedId);
  requireScope(scope, proven?.scopes);
}

/** The outcome for a header: `taken`, or the kind of the refusal. */
export async function outcome(...given: Parameters<typeof prove>) {
  try {
    await prove(...given);
    return 'taken';
  } catch (error) {
    if (error instanceof DomainError) return error.kind;
    throw error;
  }
}

export const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with any header, built by hand because no library would build it. */
export function forged(header: object, key: Buffer | string | undefined): string {
  const text = `${base64url(header)}.${base64url(newClaims())}`;
  const signature = key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url');
  return `${text}.${signature}`;
}
