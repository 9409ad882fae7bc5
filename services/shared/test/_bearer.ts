import { createHmac } from 'node:crypto';
import type { BearerValidator } from '../src/auth/bearer.ts';
import { DomainError } from '../src/values/errors.ts';
import { accountId, newClaims } from './_claims.ts';

type Expected = Parameters<BearerValidator>[1];

/** The result for a header: `taken`, or the kind of the refusal. */
export async function outcome(
  validator: BearerValidator,
  authorization: string | undefined,
  expected: Partial<Expected> = {},
) {
  try {
    await validator(authorization, { accountId, ...expected });
    return 'taken';
  } catch (error) {
    if (error instanceof DomainError) return error.kind;
    throw error;
  }
}

export const base64url = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with any header, built by hand: no library would build it. */
export function forged(header: object, key: Buffer | string | undefined, payload = newClaims()): string {
  const text = `${base64url(header)}.${base64url(payload)}`;
  const signature = key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url');
  return `${text}.${signature}`;
}
