import { z } from 'zod';

/**
 * For every route below /api. The header is set from the session (access/guard.ts); without it a request is refused even if nothing
 * had asked for a session.
 */
export const byOperator = {
  identity: 'none',
  headers: z.object({ 'console-operator': z.string() }),
} as const;
