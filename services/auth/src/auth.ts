import type { AccountIn, AccountOut, Credentials, PasswordReset } from '@store/shared/contracts/account';
import type { Role } from '@store/shared/http/identity';
import type { Logger } from '@store/shared/observability/log';
import { actorOf } from '@store/shared/values/audit';
import { DomainError, found, unavailable } from '@store/shared/values/errors';
import { sleep } from '@store/shared/values/time';
import type { AccountClient } from './account-client.ts';
import type { ApiKeys } from './keys/api-keys.ts';
import type { LoginFailureRepository } from './login-failure-repository.ts';
import type { RoleRepository } from './roles/role-repository.ts';
import type { Roles } from './roles/roles.ts';
import type { GivenSession, OwnSession, PasswordChange } from './schemas.ts';
import type { EndedSessions } from './sessions/ended-sessions.ts';
import type { Follower } from './sessions/follower.ts';
import type { Client, SessionRepository } from './sessions/session-repository.ts';
import type { Tokens } from './tokens/tokens.ts';

interface Dependencies {
  accounts: AccountClient;
  tokens: Tokens;
  failures: LoginFailureRepository;
  sessions: SessionRepository;
  endedSessions: EndedSessions;
  /** Whether a session has ended, or its account is locked. */
  hasEnded: EndedSessions['has'];
  roles: Roles;
  roleRepository: RoleRepository;
  apiKeys: Pick<ApiKeys, 'list'>;
  follower: Pick<Follower, 'isLoaded'>;
  ttlSeconds: number;
  log: Logger;
}

/** Longer than the account service takes, so that the time says nothing. */
const resetAnswerMs = 400;

/** The clock of the database counts microseconds: a session that begins this much after a cutoff is not cut off. */
const secondsAfter = 0.000001;

const wrongPassword = () => new DomainError('forbidden', 'The current password is wrong.', { code: 'wrong-password' });

const usedLink = () =>
  new DomainError('forbidden', 'This link is used or no longer valid. Ask for a new one.', { code: 'invalid-token' });

const locked = () =>
  new DomainError('forbidden', 'The account is locked. Ask the store why.', { code: 'account-locked' });

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(dependencies: Dependencies) {
  const { accounts, tokens, failures, sessions, endedSessions, hasEnded, roles, roleRepository, apiKeys } =
    dependencies;
  const { follower, ttlSeconds, log } = dependencies;

  const existing = async (accountId: string): Promise<AccountOut> =>
    found(await accounts.find(accountId), `account ${accountId}`);

  async function listSessions(accountId: string, currentId?: string): Promise<OwnSession[]> {
    const current = await sessions.listOpen(accountId);
    return current.map(({ id, authenticatedAt, address, userAgent }) => ({
      id,
      since: new Date(authenticatedAt * 1000).toISOString(),
      address,
      userAgent,
      current: id === currentId,
    }));
  }

  /** Checks a password, as a login. @returns undefined if it is wrong */
  async function checkCounted({ email, password }: Credentials, { clientAddress }: Client) {
    const at = await failures.count(email);
    if (at === undefined) {
      throw new DomainError('rateLimited', 'Too many logins with this e-mail address have failed. Try again later.', {
        code: 'too-many-failures',
        retryAfterSeconds: await failures.delayOf(email),
      });
    }
    const account = await accounts.checkPassword({ email, password }, clientAddress).catch(async (error: unknown) => {
      await failures.uncount(email, at).catch((err: unknown) => log.warn({ err }, 'A login still counts as failed'));
      throw error;
    });
    if (account === undefined) return undefined;
    await failures.forget(email);
    return { account, at };
  }
  /** @throws DomainError forbidden for an account that is locked */
  async function begin(accountId: string, at: number, client: Client): Promise<string> {
    if ((await roleRepository.lockedAt(accountId)) !== null) throw locked();
    const { token, session } = await tokens.issue(accountId, at);
    await sessions.begin(session, client);
    return token;
  }
  async function endAll(accountId: string, by = actorOf(accountId, undefined)) {
    const cutoff = await sessions.endAll(by, accountId, ttlSeconds);
    endedSessions.add(cutoff);
    log.info({ accountId, by }, 'All sessions and API keys ended');
    return cutoff;
  }

  return {
    register: (account: AccountIn, clientAddress: string | undefined) => accounts.register(account, clientAddress),
    /**
     * @throws DomainError unauthenticated, forbidden with the right password of a locked account, or rateLimited after too many failures,
     * whatever the password is
     */
    async login(credentials: Credentials, client: Client) {
      const checked = await checkCounted(credentials, client);
      if (checked === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      return { account: checked.account, token: await begin(checked.account.id, checked.at, client) };
    },
    /**
     * Ends all other sessions of the account, too. To be repeated with the same body where it did not answer: then the new password is
     * the current one already.
     * @returns the token of a new session for the caller
     * @throws DomainError forbidden if the current password is wrong, invalid if the new one is refused, rateLimited as for logins
     */
    async changePassword(accountId: string, { currentPassword, newPassword }: PasswordChange, client: Client) {
      const { email } = await existing(accountId);
      const isRight = async (password: string) => (await checkCounted({ email, password }, client)) !== undefined;
      // Each is a guess, and counts as one.
      if (!(await isRight(currentPassword)) && (newPassword === currentPassword || !(await isRight(newPassword))))
        throw wrongPassword();
      await accounts.setPassword(accountId, newPassword, client.clientAddress);
      const { endedAt } = await endAll(accountId);
      // A deletion that begins after this ends the new session, too; one that began before has only ended the others.
      await existing(accountId);
      return begin(accountId, endedAt + secondsAfter, client);
    },
    /**
     * Has a link to set a new password sent to an address. It takes as long, and says the same, whether an account has it or not.
     * @throws DomainError rateLimited
     */
    async requestReset(email: string, { clientAddress }: Client): Promise<void> {
      const [outcome] = await Promise.allSettled([accounts.requestReset(email, clientAddress), sleep(resetAnswerMs)]);
      if (outcome.status === 'rejected') throw outcome.reason;
    },
    /**
     * Sets the password by the token of a mail and ends all sessions of the account. With a used token it ends the sessions once more,
     * in case that was interrupted, and says the same whatever the password is.
     * @throws DomainError forbidden, invalid
     */
    async resetPassword({ token, password }: PasswordReset, { clientAddress }: Client): Promise<void> {
      const { id, email, isUsed } = await accounts.resetPassword(token, password, clientAddress);
      await endAll(id);
      if (isUsed) throw usedLink();
      await failures.forget(email);
    },
    confirmEmail: (token: string) => accounts.confirmEmail(token),
    isConfirmed: (accountId: string) => accounts.isConfirmed(accountId),
    /** Lists the sessions of an account that have not ended, the newest first, 100 at most. */
    listSessions: async (accountId: string, token?: string) =>
      listSessions(accountId, token === undefined ? undefined : (await tokens.resolve(token))?.id),
    /** Returns what is kept about an account, for its export. */
    async dataOf(accountId: string) {
      const [own, keys] = await Promise.all([listSessions(accountId), apiKeys.list(accountId)]);
      return { roles: roles.of(accountId), sessions: own, apiKeys: keys };
    },
    /** @param by who ends it, as the audit trail has it */
    async endSession(by: string, accountId: string, id: string): Promise<void> {
      const session = found(await sessions.find(accountId, id), `session ${id}`);
      await sessions.endOther(by, accountId, session);
      endedSessions.add(session);
      log.info({ accountId, sessionId: id, by }, 'Session ended');
    },
    /** Ends the session of a token; one that is not valid has none, nor has an API key, which only its account ends. */
    async logout(token: string | undefined): Promise<void> {
      const session = token === undefined ? undefined : await tokens.resolve(token);
      if (session === undefined || session.scopes !== undefined) return;
      await sessions.end(session);
      endedSessions.add(session);
      log.info({ accountId: session.accountId }, 'Logged out');
    },
    /**
     * Checks the password of a customer who does what needs it.
     * @throws DomainError forbidden if it is wrong, rateLimited as for logins
     */
    async checkOwnPassword(credentials: Credentials, accountId: string, client: Client): Promise<void> {
      const checked = await checkCounted(credentials, client);
      if (checked?.account.id !== accountId) throw wrongPassword();
    },
    /**
     * The same by the account alone.
     * @throws DomainError notFound, too
     */
    async checkPasswordOf(accountId: string, password: string, client: Client): Promise<void> {
      const { email } = await existing(accountId);
      if ((await checkCounted({ email, password }, client)) === undefined) throw wrongPassword();
    },
    /** Ends all sessions of an account that is about to be deleted, and forgets from where they began. */
    async closeSessions(accountId: string): Promise<void> {
      await endAll(accountId);
      await sessions.forget(accountId);
    },
    /**
     * Ends all sessions of the account that have begun by now. What waits for the link of a mail ends before: if this process ends in
     * between, the caller's session is still there to repeat it.
     * @param by who ends them, as the audit trail has it
     */
    async endSessions(by: string, accountId: string): Promise<void> {
      await accounts.endMailRequests(accountId);
      await endAll(accountId, by);
    },
    /**
     * Locks an account, or lifts its lock: nobody logs in to a locked one, and each change ends its sessions, API keys and the links in
     * mails to it.
     * @param by who does, as the audit trail has it
     * @throws DomainError notFound
     */
    async setLock(by: string, accountId: string, isLocked: boolean): Promise<void> {
      await existing(accountId);
      await accounts.endMailRequests(accountId);
      const changed = await roleRepository.setLock(by, accountId, isLocked, ttlSeconds);
      endedSessions.add(changed.cutoff);
      roles.add(changed.roles);
      log.info({ accountId, isLocked, by }, 'Account locked or unlocked');
    },
    /** @returns since when it is locked; null if it is not */
    lockOf: async (accountId: string) => ({ lockedAt: await roleRepository.lockedAt(accountId) }),
    /** @throws DomainError notFound */
    async rolesOf(accountId: string): Promise<{ roles: Role[] }> {
      await existing(accountId);
      return { roles: await roleRepository.find(accountId) };
    },
    /**
     * Replaces the roles of an account.
     * @param by who gives them, as the audit trail has it
     * @throws DomainError notFound
     */
    async setRoles(by: string, accountId: string, owned: Role[]): Promise<{ roles: Role[] }> {
      await existing(accountId);
      roles.add(await roleRepository.set(by, accountId, owned));
      log.info({ accountId, roles: owned, by }, 'Roles given');
      return { roles: owned };
    },
    /**
     * Gives an account one role, or takes it.
     * @param by who does, as the audit trail has it
     * @throws DomainError notFound
     */
    async changeRole(change: 'give' | 'take', by: string, accountId: string, role: Role): Promise<{ roles: Role[] }> {
      await existing(accountId);
      roles.add(await roleRepository[change](by, accountId, role));
      log.info({ accountId, change, role, by }, 'Role changed');
      return { roles: await roleRepository.find(accountId) };
    },
    /** @returns the ids of those that were ended, by a logout or DELETE /auth/sessions, or with their key or their time */
    endedOf(given: GivenSession[]): string[] {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      return given.filter((one) => hasEnded(one) || tokens.isOver(one)).map(({ id }) => id);
    },
    /** @returns the id of the account that the token was issued to: an API key is none, since its scopes would be lost */
    async solve(token: string): Promise<string> {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      const session = await tokens.resolve(token);
      if (session === undefined || session.scopes !== undefined)
        throw new DomainError('unauthenticated', 'Invalid token');
      return session.accountId;
    },
  };
}
