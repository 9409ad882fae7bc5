import { stringifySetCookie } from 'cookie';

export interface CookieOptions {
  httpOnly: boolean;
  sameSite: 'Lax' | 'Strict' | 'None';
  secure: boolean;
  maxAgeSeconds: number;
}

const name = '__store_jwt_token';
// Of a comma too: that is how a proxy joins two Cookie headers.
const separator = /[;,]/;

export type TokenCookie = ReturnType<typeof createTokenCookie>;

/** Values of `Set-Cookie` for the platform token (decisions 3). */
export function createTokenCookie({ httpOnly, sameSite, secure, maxAgeSeconds }: CookieOptions) {
  const lower = { Lax: 'lax', Strict: 'strict', None: 'none' } as const;
  const attributes = { path: '/', httpOnly, secure, sameSite: lower[sameSite] };
  return {
    carrying: (token: string) => stringifySetCookie(name, token, { ...attributes, maxAge: maxAgeSeconds }),
    /** Makes the browser forget the cookie: it must have the attributes that it was set with. */
    cleared: stringifySetCookie(name, '', { ...attributes, maxAge: 0, expires: new Date(0) }),
  };
}

/**
 * Every value that a `Cookie` header gives the token. A parser would pick one of two, and another parser
 * the other, so whoever asks has to see both.
 */
export function tokensInCookies(header = ''): string[] {
  const values: string[] = [];
  for (const pair of header.split(separator)) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim());
  }
  return values;
}
