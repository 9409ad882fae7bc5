import type { AccountIn, AccountOut, Credentials, PasswordReset } from '@store/shared/contracts/account';
import type { Role } from '@store/shared/http/identity';
import type { Logger } from '@store/shared/observability/log';
import { accountOfActor, actorOf } from '@store/shared/values/audit';
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
  /** Who made a service account, as the audit trail names them; undefined for other accounts. */
  makerOf: (accountId: string) => Promise<string | undefined>;
  follower: Pick<Follower, 'isLoaded'>;
  ttlSeconds: number;
  log: Logger;
}

/** Longer than the account service ever takes, so the response time does not reveal whether an account exists. */
const resetAnswerMs = 400;

/** The database's clock counts microseconds. A session that begins this long after a cutoff survives it. */
const cutoffMarginSeconds = 0.000001;

const wrongPassword = () => new DomainError('forbidden', 'The current password is wrong.', { code: 'wrong-password' });

const usedLink = () =>
  new DomainError('forbidden', 'This link has been used or is no longer valid. Request a new one.', {
    code: 'invalid-token',
  });

const locked = () =>
  new DomainError('forbidden', 'The account is locked. Contact the store.', { code: 'account-locked' });

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(dependencies: Dependencies) {
  const { accounts, tokens, failures, sessions, endedSessions, hasEnded, roles, roleRepository, apiKeys } =
    dependencies;
  const { makerOf, follower, ttlSeconds, log } = dependencies;

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

  /** Checks a password; a wrong one counts as a failed login. @returns undefined if it is wrong */
  async function countAndCheck({ email, password }: Credentials, { clientAddress }: Client) {
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
  /** @throws DomainError forbidden if the account is locked */
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
     * @throws DomainError unauthenticated for a wrong password, forbidden for the right password of a locked account, or rateLimited
     * after too many failures, even for the right password
     */
    async login(credentials: Credentials, client: Client) {
      const checked = await countAndCheck(credentials, client);
      if (checked === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      return { account: checked.account, token: await begin(checked.account.id, checked.at, client) };
    },
    /**
     * Also ends all other sessions of the account. A caller that got no answer can repeat the call with the same body: it also succeeds
     * if the new password is already in force.
     * @returns the token of a new session for the caller
     * @throws DomainError forbidden if the current password is wrong, invalid if the new password is refused, rateLimited as for logins
     */
    async changePassword(accountId: string, { currentPassword, newPassword }: PasswordChange, client: Client) {
      const { email } = await existing(accountId);
      const isRight = async (password: string) => (await countAndCheck({ email, password }, client)) !== undefined;
      // Each check counts as a guess.
      if (!(await isRight(currentPassword)) && (newPassword === currentPassword || !(await isRight(newPassword))))
        throw wrongPassword();
      await accounts.setPassword(accountId, newPassword, client.clientAddress);
      const { endedAt } = await endAll(accountId);
      // A deletion that begins after this check also ends the new session. A deletion that began earlier has ended only the others.
      await existing(accountId);
      return begin(accountId, endedAt + cutoffMarginSeconds, client);
    },
    /**
     * Has a link to set a new password sent to an address. Takes the same time and answers the same whether or not an account has the
     * address.
     * @throws DomainError rateLimited
     */
    async requestReset(email: string, { clientAddress }: Client): Promise<void> {
      const [outcome] = await Promise.allSettled([accounts.requestReset(email, clientAddress), sleep(resetAnswerMs)]);
      if (outcome.status === 'rejected') throw outcome.reason;
    },
    /**
     * Sets the password by the token of a mail and ends all sessions of the account. With a used token it ends the sessions again, in
     * case the first call was interrupted, and gives the same answer for every password.
     * @throws DomainError forbidden, invalid
     */
    async resetPassword({ token, password }: PasswordReset, { clientAddress }: Client): Promise<void> {
      const { id, email, isUsed } = await accounts.resetPassword(token, password, clientAddress);
      await endAll(id);
      if (isUsed) throw usedLink();
      await failures.forget(email);
    },
    confirmEmail: (token: string) => accounts.confirmEmail(token),
    /** A service account has no address, so there is none to confirm. */
    isConfirmed: async (accountId: string) =>
      (await accounts.isConfirmed(accountId)) || (await makerOf(accountId)) !== undefined,
    /** @returns the account, or the one that made the service account, if it exists and is still an operator */
    async answerableOperator(accountId: string): Promise<string | undefined> {
      const maker = await makerOf(accountId);
      const person = maker === undefined ? accountId : accountOfActor(maker)?.accountId;
      if (person === undefined || !roles.of(person).includes('operator') || roles.isLocked(person)) return undefined;
      return (await accounts.find(person))?.id;
    },
    /** Lists the open sessions of an account, newest first, 100 at most. */
    listSessions: async (accountId: string, token?: string) =>
      listSessions(accountId, token === undefined ? undefined : (await tokens.resolve(token))?.id),
    /** Returns the data that auth stores about an account, for its export. */
    async dataOf(accountId: string) {
      const [own, keys] = await Promise.all([listSessions(accountId), apiKeys.list(accountId)]);
      return { roles: roles.of(accountId), sessions: own, apiKeys: keys };
    },
    /** @param by who ends it, as the audit trail names them */
    async endSession(by: string, accountId: string, id: string): Promise<void> {
      const session = found(await sessions.find(accountId, id), `session ${id}`);
      await sessions.endOther(by, accountId, session);
      endedSessions.add(session);
      log.info({ accountId, sessionId: id, by }, 'Session ended');
    },
    /** Ends the session of a token. Does nothing for an invalid token or an API key, which a logout does not end. */
    async logout(token: string | undefined): Promise<void> {
      const session = token === undefined ? undefined : await tokens.resolve(token);
      if (session === undefined || session.scopes !== undefined) return;
      await sessions.end(session);
      endedSessions.add(session);
      log.info({ accountId: session.accountId }, 'Logged out');
    },
    /**
     * Checks the password of a customer before an action that requires it.
     * @throws DomainError forbidden if it is wrong, rateLimited as for logins
     */
    async checkOwnPassword(credentials: Credentials, accountId: string, client: Client): Promise<void> {
      const checked = await countAndCheck(credentials, client);
      if (checked?.account.id !== accountId) throw wrongPassword();
    },
    /**
     * Like `checkOwnPassword`, but finds the e-mail address by the account's id.
     * @throws DomainError notFound, and those of `checkOwnPassword`
     */
    async checkPasswordOf(accountId: string, password: string, client: Client): Promise<void> {
      const { email } = await existing(accountId);
      if ((await countAndCheck({ email, password }, client)) === undefined) throw wrongPassword();
    },
    /** Ends all sessions of an account that is about to be deleted, and deletes its stored sessions and API keys. */
    async closeSessions(accountId: string): Promise<void> {
      await endAll(accountId);
      await sessions.forget(accountId);
    },
    /**
     * Ends all sessions of the account that have begun by now. Requests that wait for the link in a mail end first: if this process dies
     * in between, the caller still has a session to repeat the call.
     * @param by who ends them, as the audit trail names them
     */
    async endSessions(by: string, accountId: string): Promise<void> {
      await accounts.endMailRequests(accountId);
      await endAll(accountId, by);
    },
    /**
     * Locks an account or unlocks it. Both end its sessions and API keys and invalidate the links in mails to it. A locked account cannot
     * log in.
     * @param by who changes the lock, as the audit trail names them
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
    /** @returns when the account was locked; null if it is not locked */
    lockOf: async (accountId: string) => ({ lockedAt: await roleRepository.lockedAt(accountId) }),
    /** @throws DomainError notFound */
    async rolesOf(accountId: string): Promise<{ roles: Role[] }> {
      await existing(accountId);
      return { roles: await roleRepository.find(accountId) };
    },
    /**
     * Replaces the roles of an account.
     * @param by who sets them, as the audit trail names them
     * @throws DomainError notFound
     */
    async setRoles(by: string, accountId: string, owned: Role[]): Promise<{ roles: Role[] }> {
      await existing(accountId);
      roles.add(await roleRepository.set(by, accountId, owned));
      log.info({ accountId, roles: owned, by }, 'Roles given');
      return { roles: owned };
    },
    /**
     * Gives an account a role, or takes it away.
     * @param by who changes it, as the audit trail names them
     * @throws DomainError notFound
     */
    async changeRole(change: 'give' | 'take', by: string, accountId: string, role: Role): Promise<{ roles: Role[] }> {
      await existing(accountId);
      roles.add(await roleRepository[change](by, accountId, role));
      log.info({ accountId, change, role, by }, 'Role changed');
      return { roles: await roleRepository.find(accountId) };
    },
    /** @returns ids of the given sessions that a logout or DELETE /auth/sessions has ended, or whose key was dropped or lifetime is over */
    endedOf(given: GivenSession[]): string[] {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      return given.filter((one) => hasEnded(one) || tokens.hasLapsed(one)).map(({ id }) => id);
    },
    /**
     * @returns the id of the account that the token was issued to
     * @throws DomainError unauthenticated for an invalid token, and for an API key, since the answer cannot carry its scopes
     */
    async solve(token: string): Promise<string> {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      const session = await tokens.resolve(token);
      if (session === undefined || session.scopes !== undefined)
        throw new DomainError('unauthenticated', 'Invalid token');
      return session.accountId;
    },
  };
}
