import { cookieReader } from '@store/shared/http/cookies';
import { stringifySetCookie } from 'cookie';
import type { AuthConfig } from '../config.ts';

export const tokenCookieName = '__store_jwt_token';

export type TokenCookie = ReturnType<typeof createTokenCookie>;

/** `Set-Cookie` values for the token, as the environment configures them (contract 3.3). */
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
    carrying: (token: string, isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, token, { ...attributes(isHttps), maxAge }),
    /** Browsers delete a cookie only if the attributes are those it was set with. */
    cleared: (isHttps: boolean) =>
      stringifySetCookie(tokenCookieName, '', { ...attributes(isHttps), maxAge: 0, expires: new Date(0) }),
  };
}

/** Two if the header has different ones: the caller refuses both (contract 3.1). */
export const tokensInCookies = cookieReader(tokenCookieName);
