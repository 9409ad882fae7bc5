import { cookieReader } from '@store/shared/http/cookies';
import { stringifySetCookie } from 'cookie';
import type { AuthConfig } from '../config.ts';

export const tokenCookieName = '__store_jwt_token';

export type TokenCookie = ReturnType<typeof createTokenCookie>;

/** Makes `Set-Cookie` values for the token from the configuration (contract 3.3). */
export function createTokenCookie(config: AuthConfig) {
  const { COOKIE_SECURE: secure, JWT_HTTP_ONLY: httpOnly, JWT_TTL_SECONDS: maxAge } = config;
  const sameSite = config.COOKIE_SAME_SITE.toLowerCase() as Lowercase<AuthConfig['COOKIE_SAME_SITE']>;
  const attributes = (isHttps: boolean) => ({
    path: '/',
    httpOnly,
    secure: secure === 'auto' ? isHttps : secure,
    sameSite,
  });
  return {
    withToken: (token: string, isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, token, { ...attributes(isHttps), maxAge }),
    /** Browsers delete a cookie only if it is cleared with the attributes it was set with. */
    cleared: (isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, '', { ...attributes(isHttps), maxAge: 0, expires: new Date(0) }),
  };
}

/** Returns two tokens if the header has different ones, and the caller refuses the request (contract 3.1). */
export const tokensInCookies = cookieReader(tokenCookieName);
