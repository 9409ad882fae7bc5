/** For answers about sessions and passwords. */
export const noStore = { 'Cache-Control': 'no-store' };

/** The token that the gateway sets. */
export const bearerOf = (authorization = ''): string => authorization.replace(/^Bearer /i, '');
