import type { Client } from './session-repository.ts';

/** For answers about sessions and passwords. */
export const noStore = { 'Cache-Control': 'no-store' };

/** The token that the gateway sets. */
export const bearerOf = (authorization = ''): string => authorization.replace(/^Bearer /i, '');

/** Takes from a request what its session remembers. The name of a browser takes some hundred characters. */
export const clientOf = ({
  clientAddress,
  userAgent,
}: {
  clientAddress?: string | undefined;
  userAgent?: string | undefined;
}): Client => ({
  address: clientAddress ?? null,
  userAgent: userAgent?.slice(0, 300) ?? null,
});
