import { stringifySetCookie } from 'cookie';

export interface CookieOptions {
  httpOnly: boolean;
  sameSite: 'Lax' | 'Strict' | 'None';
  /** `auto`: as the customer came. */
  secure: boolean | 'auto';
  maxAgeSeconds: number;
}

export const tokenCookieName = '__store_jwt_token';
// Also a comma, by which proxies join two Cookie headers.
const separator = /[;,]/;

export type TokenCookie = ReturnType<typeof createTokenCookie>;

/** `Set-Cookie` values for the token (contract 3.3). */
export function createTokenCookie({ httpOnly, sameSite, secure, maxAgeSeconds }: CookieOptions) {
  const lower = { Lax: 'lax', Strict: 'strict', None: 'none' } as const;
  const attributes = (isHttps: boolean) => ({
    path: '/',
    httpOnly,
    secure: secure === 'auto' ? isHttps : secure,
    sameSite: lower[sameSite],
  });
  return {
    carrying: (token: string, isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, token, { ...attributes(isHttps), maxAge: maxAgeSeconds }),
    /** Browsers delete a cookie only if the attributes are those it was set with. */
    cleared: (isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, '', { ...attributes(isHttps), maxAge: 0, expires: new Date(0) }),
  };
}

/**
 * Every value that a `Cookie` header holds for the token. Parsers disagree on which of two counts, so the caller has to
 * see both.
 */
export function tokensInCookies(header = ''): string[] {
  const values: string[] = [];
  for (const pair of header.split(separator)) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === tokenCookieName) values.push(pair.slice(equals + 1).trim());
  }
  return values;
}
