import { z } from 'zod';

/**
 * For every route below /api. access/guard.ts sets the header from the session. A request without it is refused, even if the guard
 * were missing.
 */
export const byOperator = {
  identity: 'none',
  headers: z.object({ 'console-operator': z.string() }),
} as const;
