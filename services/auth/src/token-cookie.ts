import { stringifySetCookie } from 'cookie';

export interface CookieOptions {
  httpOnly: boolean;
  sameSite: 'Lax' | 'Strict' | 'None';
  secure: boolean;
  maxAgeSeconds: number;
}

const name = '__store_jwt_token';
// A comma too: that is how a proxy joins two Cookie headers.
const tokenPair = new RegExp(`(?:^|[;,])[ \\t]*${name}[ \\t]*=([^;,]*)`, 'g');

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
  return Array.from(header.matchAll(tokenPair), ([, value = '']) => value.trim());
}
