import { tryParse } from '@store/shared/values/errors';
import { z } from 'zod';
import { signedKey } from '../keys/orphaned-keys.ts';
import { accountRoles } from '../roles/roles.ts';
import type { Session } from '../tokens/tokens.ts';

/** A session that ended before its token expired. Times are seconds since 1970. */
const endedSession = z.object({ id: z.string(), expiresAt: z.number() });
/** Ends all sessions of an account that began at or before `endedAt`. */
const sessionCutoff = z.object({ accountId: z.string(), endedAt: z.number(), expiresAt: z.number() });
const notification = z.union([endedSession, sessionCutoff, accountRoles, signedKey]);

export type EndedSession = z.output<typeof endedSession>;
export type SessionCutoff = z.output<typeof sessionCutoff>;
export type EndedSessions = ReturnType<typeof createEndedSessions>;

/** Longer than the clock skew that a token check tolerates. */
const marginSeconds = 60;

/**
 * Keeps ended sessions in memory for the token check until their tokens expire (contract 3.2). An entry takes about 90 bytes.
 */
export function createEndedSessions() {
  /** Expiry of each session's token by the session's id. */
  const expiries = new Map<string, number>();
  const cutoffs = new Map<string, SessionCutoff>();

  function add(one: EndedSession | SessionCutoff): void {
    if ('id' in one) expiries.set(one.id, one.expiresAt);
    else if (one.endedAt >= (cutoffs.get(one.accountId)?.endedAt ?? 0)) cutoffs.set(one.accountId, one);
  }

  return {
    add,
    has({ id, accountId, authenticatedAt }: Pick<Session, 'id' | 'accountId' | 'authenticatedAt'>): boolean {
      return expiries.has(id) || authenticatedAt <= (cutoffs.get(accountId)?.endedAt ?? 0);
    },
    forgetExpired(): void {
      const now = Date.now() / 1000 - marginSeconds;
      for (const [id, expiresAt] of expiries) if (expiresAt < now) expiries.delete(id);
      for (const [accountId, { expiresAt }] of cutoffs) if (expiresAt < now) cutoffs.delete(accountId);
    },
  };
}

/** Parses a notification; undefined if it has an unknown form. */
export const notificationOf = (payload: string): z.output<typeof notification> | undefined =>
  tryParse(() => notification.parse(JSON.parse(payload)));
