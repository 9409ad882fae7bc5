// Written by make api from docs/openapi.yaml.
import type { CallOptions, FullInput, Input, Output, Reply } from './types.ts';

/** The operations of docs/openapi.yaml, which resolve to the body of the reply. */
export interface Methods {
  /**
   * Identify the store.
   *
   * `GET /`
   *
   * @param options for this call
   * @returns
   * - 200: Store API
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   */
  getName(input?: Input<'getName'>, options?: CallOptions): Promise<Output<'getName'>>;

  /**
   * List the accounts visible to the caller, which is only their own.
   *
   * `GET /accounts`
   *
   * @param options for this call
   * @returns
   * - 200: An array with one account.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listAccounts(input?: Input<'listAccounts'>, options?: CallOptions): Promise<Output<'listAccounts'>>;

  /**
   * Fetch your own account.
   *
   * `GET /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The account.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getAccount(input: Input<'getAccount'>, options?: CallOptions): Promise<Output<'getAccount'>>;

  /**
   * Change your name, e-mail address or the language of mails.
   *
   * `PATCH /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The account as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The current password is wrong.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account, or too many changes of its address.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeAccount(input: Input<'changeAccount'>, options?: CallOptions): Promise<Output<'changeAccount'>>;

  /**
   * Delete your account and your personal data.
   *
   * `DELETE /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 204: Deleted; other services delete their data within a minute.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The password is wrong.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteAccount(input: Input<'deleteAccount'>, options?: CallOptions): Promise<Output<'deleteAccount'>>;

  /**
   * Export all data stored about your account.
   *
   * `GET /accounts/{id}/export`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: One JSON object. It is cut off if a service fails while it is sent.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: An export of the account is already running, or there were five within a day.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  exportAccount(input: Input<'exportAccount'>, options?: CallOptions): Promise<Output<'exportAccount'>>;

  /**
   * Change your password and end your other sessions and all API keys.
   *
   * `PUT /accounts/{id}/password`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 204: Changed.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The current password is wrong, or the account is locked.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changePassword(input: Input<'changePassword'>, options?: CallOptions): Promise<Output<'changePassword'>>;

  /**
   * Set the roles of an account, as an operator.
   *
   * `PUT /accounts/{id}/roles`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The current roles of the account.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  setRoles(input: Input<'setRoles'>, options?: CallOptions): Promise<Output<'setRoles'>>;

  /**
   * List your sessions.
   *
   * `GET /accounts/{id}/sessions`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: Open sessions, newest first, 100 at most.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listSessions(input: Input<'listSessions'>, options?: CallOptions): Promise<Output<'listSessions'>>;

  /**
   * End one of your sessions.
   *
   * `DELETE /accounts/{id}/sessions/{sessionId}`
   *
   * @param input
   * - `path.id`
   * - `path.sessionId`
   * @param options for this call
   * @returns
   * - 204: The session has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endSession(input: Input<'endSession'>, options?: CallOptions): Promise<Output<'endSession'>>;

  /**
   * List station status records, oldest first.
   *
   * `GET /api/v1/status/`
   *
   * @param input
   * - `query.limit`, optional
   * - `query.cursor`, optional: Only records whose time is later.
   * - `query.station_id`, optional: Only records of this station.
   * - `query.after`, optional: The end of a page, from its Link header: unlike cursor, it skips no records of equal times. Replaces cursor.
   * - `query.skip`, optional: Records to skip; the cost grows with the value. Use after or cursor.
   * @param options for this call
   * @returns
   * - 200: One page of the list, ordered by time.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStatus(input?: Input<'listStatus'>, options?: CallOptions): Promise<Output<'listStatus'>>;

  /**
   * Confirm your e-mail address, or cancel a change of it, with the link in a mail.
   *
   * `POST /auth/email-confirmations`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 204: The address is confirmed. With the link sent to the current address, the change is cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 403: The link is void or has expired.
   * - 409: Another account has taken the e-mail address.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  confirmEmail(input: Input<'confirmEmail'>, options?: CallOptions): Promise<Output<'confirmEmail'>>;

  /**
   * Make an API key, which is shown only once.
   *
   * `POST /auth/keys`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Made.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account has no right to a scope, the password is wrong, or the caller is an API key.
   * - 409: The account has 100 keys that have not expired.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  makeApiKey(input: Input<'makeApiKey'>, options?: CallOptions): Promise<Output<'makeApiKey'>>;

  /**
   * List your API keys.
   *
   * `GET /auth/keys`
   *
   * @param options for this call
   * @returns
   * - 200: API keys, newest first, without their tokens.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listApiKeys(input?: Input<'listApiKeys'>, options?: CallOptions): Promise<Output<'listApiKeys'>>;

  /**
   * End one of your API keys.
   *
   * `DELETE /auth/keys/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: The key has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endApiKey(input: Input<'endApiKey'>, options?: CallOptions): Promise<Output<'endApiKey'>>;

  /**
   * Log in and receive the token as a cookie.
   *
   * `POST /auth/login`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 200: Logged in.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The e-mail address or the password is wrong.
   * - 403: The account is locked.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many logins with this e-mail address have failed.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  logIn(input: Input<'logIn'>, options?: CallOptions): Promise<Output<'logIn'>>;

  /**
   * Log out: end the session, if there is one, and clear the cookie.
   *
   * `GET /auth/logout`
   *
   * @param input
   * - `cookie.__store_jwt_token`, optional
   * @param options for this call
   * @returns
   * - 200: Logged out.
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  logOut(input?: Input<'logOut'>, options?: CallOptions): Promise<Output<'logOut'>>;

  /**
   * Request a mail with a link to reset a forgotten password.
   *
   * `POST /auth/password-resets`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 202: If an account has this e-mail address, a mail is sent to it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  requestPasswordReset(input: Input<'requestPasswordReset'>, options?: CallOptions): Promise<Output<'requestPasswordReset'>>;

  /**
   * Set a new password with the link in a mail, and end all your sessions.
   *
   * `POST /auth/password-resets/confirmation`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 204: The password is set.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 403: The link has been used, is void or has expired.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  confirmPasswordReset(input: Input<'confirmPasswordReset'>, options?: CallOptions): Promise<Output<'confirmPasswordReset'>>;

  /**
   * Register an account.
   *
   * `POST /auth/register`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Registered.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 409: The e-mail address is taken.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  register(input: Input<'register'>, options?: CallOptions): Promise<Output<'register'>>;

  /**
   * Create an account for a machine, as an operator.
   *
   * `POST /auth/service-accounts`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: You lack one of the roles, or an account with these roles has no right to a scope.
   * - 409: There are 100 service accounts.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createServiceAccount(input: Input<'createServiceAccount'>, options?: CallOptions): Promise<Output<'createServiceAccount'>>;

  /**
   * List the accounts of machines, as an operator.
   *
   * `GET /auth/service-accounts`
   *
   * @param options for this call
   * @returns
   * - 200: Service accounts, newest first.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listServiceAccounts(input?: Input<'listServiceAccounts'>, options?: CallOptions): Promise<Output<'listServiceAccounts'>>;

  /**
   * Fetch the account of a machine, as an operator.
   *
   * `GET /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The service account.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getServiceAccount(input: Input<'getServiceAccount'>, options?: CallOptions): Promise<Output<'getServiceAccount'>>;

  /**
   * Rename, pause or resume the account of a machine, as an operator.
   *
   * `PATCH /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The service account. Its keys are refused while it is paused.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeServiceAccount(input: Input<'changeServiceAccount'>, options?: CallOptions): Promise<Output<'changeServiceAccount'>>;

  /**
   * Delete the account of a machine and end its keys, as an operator.
   *
   * `DELETE /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: Deleted. Its keys have ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteServiceAccount(input: Input<'deleteServiceAccount'>, options?: CallOptions): Promise<Output<'deleteServiceAccount'>>;

  /**
   * Make a key for a machine, which is shown only once, as an operator.
   *
   * `POST /auth/service-accounts/{id}/keys`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Made.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: Your password is wrong, or you lack a role of the service account.
   * - 404: No such resource.
   * - 409: The service account has two valid keys.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for your account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  makeServiceKey(input: Input<'makeServiceKey'>, options?: CallOptions): Promise<Output<'makeServiceKey'>>;

  /**
   * List the keys of a machine, as an operator.
   *
   * `GET /auth/service-accounts/{id}/keys`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: Keys, newest first, without their tokens.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listServiceKeys(input: Input<'listServiceKeys'>, options?: CallOptions): Promise<Output<'listServiceKeys'>>;

  /**
   * End a key of a machine, as an operator.
   *
   * `DELETE /auth/service-accounts/{id}/keys/{keyId}`
   *
   * @param input
   * - `path.id`
   * - `path.keyId`
   * @param options for this call
   * @returns
   * - 204: The key has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endServiceKey(input: Input<'endServiceKey'>, options?: CallOptions): Promise<Output<'endServiceKey'>>;

  /**
   * Log out everywhere: end all of the caller's sessions, API keys and links in mails, and clear the cookie.
   *
   * `DELETE /auth/sessions`
   *
   * @param options for this call
   * @returns
   * - 204: All sessions and API keys have ended.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endSessions(input?: Input<'endSessions'>, options?: CallOptions): Promise<Output<'endSessions'>>;

  /**
   * Resolve a token to the id of its account.
   *
   * `POST /auth/solve`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The token is valid.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  resolveToken(input: Input<'resolveToken'>, options?: CallOptions): Promise<Output<'resolveToken'>>;

  /**
   * Check that the gateway is up.
   *
   * `GET /health-check`
   *
   * @param options for this call
   * @returns
   * - 200: The gateway is up.
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   */
  checkHealth(input?: Input<'checkHealth'>, options?: CallOptions): Promise<Output<'checkHealth'>>;

  /**
   * List messages to customers about their orders.
   *
   * `GET /notifications`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.orderId`, optional
   * - `query.customerId`, optional
   * @param options for this call
   * @returns
   * - 200: A page.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The API key lacks the scope orders:read.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listNotifications(input?: Input<'listNotifications'>, options?: CallOptions): Promise<Output<'listNotifications'>>;

  /**
   * Place an order.
   *
   * `POST /orders`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `header.idempotency-key`, optional: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Placed. A repeated Idempotency-Key gets the stored reply.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: customerId is not the caller, or the e-mail address of the caller is not confirmed.
   * - 409: The total differs from the expected total, or the first request with this Idempotency-Key is still running.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many orders of the account were cancelled within an hour.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  placeOrder(input: Input<'placeOrder'>, options?: CallOptions): Promise<Output<'placeOrder'>>;

  /**
   * List your orders.
   *
   * `GET /orders`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.status`, optional
   * - `query.customerId`, optional
   * - `query.idempotencyKey`, optional: The order that was placed with this Idempotency-Key, as long as the key is kept.
   * - `query.createdFrom`, optional: Only orders placed at or after this time.
   * - `query.createdTo`, optional: Only orders placed before this time.
   * - `query.metadata`, optional: Only orders with these values: metadata[key]=value.
   * @param options for this call
   * @returns
   * - 200: A page.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listOrders(input?: Input<'listOrders'>, options?: CallOptions): Promise<Output<'listOrders'>>;

  /**
   * Fetch one of your orders.
   *
   * `GET /orders/{id}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getOrder(input: Input<'getOrder'>, options?: CallOptions): Promise<Output<'getOrder'>>;

  /**
   * Cancel an order by setting its status.
   *
   * `PATCH /orders/{id}`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The cancelled order.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 409: The order has been shipped, or: The resource no longer has the version that the body names.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: Only CANCELLED can be set.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeOrder(input: Input<'changeOrder'>, options?: CallOptions): Promise<Output<'changeOrder'>>;

  /**
   * Delete an order: cancel it if possible, and hide it.
   *
   * `DELETE /orders/{id}`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * @param options for this call
   * @returns
   * - 204: The order is hidden from you.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteOrder(input: Input<'deleteOrder'>, options?: CallOptions): Promise<Output<'deleteOrder'>>;

  /**
   * Cancel an order.
   *
   * `POST /orders/{id}/cancellation`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The order was already cancelled.
   * - 201: Cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 409: The order has been shipped.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  cancelOrder(input: Input<'cancelOrder'>, options?: CallOptions): Promise<Output<'cancelOrder'>>;

  /**
   * Fetch the cancellation of an order.
   *
   * `GET /orders/{id}/cancellation`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: When and why the order was cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCancellation(input: Input<'getCancellation'>, options?: CallOptions): Promise<Output<'getCancellation'>>;

  /**
   * List the credit notes of one of your orders.
   *
   * `GET /orders/{id}/credit-notes`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * @param options for this call
   * @returns
   * - 200: One page of the list, the oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCreditNotes(input: Input<'getCreditNotes'>, options?: CallOptions): Promise<Output<'getCreditNotes'>>;

  /**
   * Fetch a credit note of one of your orders.
   *
   * `GET /orders/{id}/credit-notes/{number}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `path.number`
   * @param options for this call
   * @returns
   * - 200: The credit note; with `Accept: text/html`, as a page to print.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCreditNote(input: Input<'getCreditNote'>, options?: CallOptions): Promise<Output<'getCreditNote'>>;

  /**
   * Fetch the invoice of one of your orders.
   *
   * `GET /orders/{id}/invoice`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The invoice; with `Accept: text/html`, as a page to print.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getInvoice(input: Input<'getInvoice'>, options?: CallOptions): Promise<Output<'getInvoice'>>;

  /**
   * Refund a part of an order.
   *
   * `POST /orders/{id}/refunds`, for an API key with the scope `refunds:write`
   *
   * @param input
   * - `path.id`
   * - `header.idempotency-key`: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: The provider will be asked for the refund.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope refunds:write.
   * - 404: No such resource.
   * - 409: The order is not paid, or the refund exceeds what is left of its payment.
   * - 413: The body is larger than 24 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  refundOrder(input: Input<'refundOrder'>, options?: CallOptions): Promise<Output<'refundOrder'>>;

  /**
   * List the refunds of one of your orders; operators, of any order.
   *
   * `GET /orders/{id}/refunds`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The refunds, oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listRefunds(input: Input<'listRefunds'>, options?: CallOptions): Promise<Output<'listRefunds'>>;

  /**
   * Fetch a refund of one of your orders; operators, of any order.
   *
   * `GET /orders/{id}/refunds/{refundId}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `path.refundId`
   * @param options for this call
   * @returns
   * - 200: The refund.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getRefund(input: Input<'getRefund'>, options?: CallOptions): Promise<Output<'getRefund'>>;

  /**
   * Ship an order of any customer.
   *
   * `POST /orders/{id}/shipments`, for an API key with the scope `orders:ship`
   *
   * @param input
   * - `path.id`
   * - `header.idempotency-key`, optional: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Shipped. A repeated Idempotency-Key gets the stored reply.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:ship.
   * - 404: No such resource.
   * - 409: The order is cancelled, has already been shipped, or is not paid, or the first request with this Idempotency-Key is still running.
   * - 413: The body is larger than 32 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  shipOrder(input: Input<'shipOrder'>, options?: CallOptions): Promise<Output<'shipOrder'>>;

  /**
   * List the shipments of an order.
   *
   * `GET /orders/{id}/shipments`, for an API key with the scope `orders:read` or `orders:ship` or `orders:all`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: None, or one.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read or orders:ship or orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listShipments(input: Input<'listShipments'>, options?: CallOptions): Promise<Output<'listShipments'>>;

  /**
   * Fetch a shipment of an order.
   *
   * `GET /orders/{id}/shipments/{shipmentId}`, for an API key with the scope `orders:read` or `orders:ship` or `orders:all`
   *
   * @param input
   * - `path.id`
   * - `path.shipmentId`
   * @param options for this call
   * @returns
   * - 200: The shipment.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read or orders:ship or orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getShipment(input: Input<'getShipment'>, options?: CallOptions): Promise<Output<'getShipment'>>;

  /**
   * List products.
   *
   * `GET /products`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.q`, optional: Text in the name, or the beginning of the `sku`, in any letter case. Without three letters or digits in a row, it must begin the name or follow a space.
   * - `query.category`, optional: Only products of this category, spelled exactly.
   * - `query.sku`, optional: Only products with one of these; repeatable up to 100 times.
   * - `query.id`, optional: Only these products; repeatable up to 100 times.
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: One page of the list.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listProducts(input?: Input<'listProducts'>, options?: CallOptions): Promise<Output<'listProducts'>>;

  /**
   * Create a product.
   *
   * `POST /products`, for an API key with the scope `products:write`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 409: Another product has the `sku`.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createProduct(input: Input<'createProduct'>, options?: CallOptions): Promise<Output<'createProduct'>>;

  /**
   * Create or replace the product with a sku.
   *
   * `PUT /products`, for an API key with the scope `products:write`
   *
   * @param input
   * - `query.sku`: The `sku` of the product.
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `header.if-none-match`, optional: An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The product as it is now: it existed.
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 409: The resource no longer has the version that the body names. Or another product has the `sku`.
   * - 412: The product is not in the state that If-Match or If-None-Match demands.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  putProduct(input: Input<'putProduct'>, options?: CallOptions): Promise<Output<'putProduct'>>;

  /**
   * Fetch how many pieces of each product can still be ordered.
   *
   * `GET /products/availability`
   *
   * @param input
   * - `query.id`: A product; repeatable up to 100 times.
   * @param options for this call
   * @returns
   * - 200: The requested products.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listAvailability(input: Input<'listAvailability'>, options?: CallOptions): Promise<Output<'listAvailability'>>;

  /**
   * List the categories of products.
   *
   * `GET /products/categories`
   *
   * @param input
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: At most 1000 categories, in order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listCategories(input?: Input<'listCategories'>, options?: CallOptions): Promise<Output<'listCategories'>>;

  /**
   * Show an import of products.
   *
   * `GET /products/imports/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The import as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope products:write.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getProductImport(input: Input<'getProductImport'>, options?: CallOptions): Promise<Output<'getProductImport'>>;

  /**
   * Fetch a product.
   *
   * `GET /products/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The product.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getProduct(input: Input<'getProduct'>, options?: CallOptions): Promise<Output<'getProduct'>>;

  /**
   * Replace a product.
   *
   * `PUT /products/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The product as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 404: No such resource.
   * - 409: The resource no longer has the version that the body names. Or another product has the `sku`.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  replaceProduct(input: Input<'replaceProduct'>, options?: CallOptions): Promise<Output<'replaceProduct'>>;

  /**
   * Delete a product.
   *
   * `DELETE /products/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * @param options for this call
   * @returns
   * - 204: Deleted.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteProduct(input: Input<'deleteProduct'>, options?: CallOptions): Promise<Output<'deleteProduct'>>;

  /**
   * Show how many pieces can still be reserved.
   *
   * `GET /stock/{productId}`, for an API key with the scope `stock:write`
   *
   * @param input
   * - `path.productId`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The stock.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The caller lacks the role catalogue. The API key lacks the scope stock:write.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStock(input: Input<'getStock'>, options?: CallOptions): Promise<Output<'getStock'>>;

  /**
   * Set how many pieces can still be reserved.
   *
   * `PUT /stock/{productId}`, for an API key with the scope `stock:write`
   *
   * @param input
   * - `path.productId`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `header.if-none-match`, optional: An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The new stock.
   * - 201: The new stock of a product that had none yet.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The caller lacks the role catalogue. The API key lacks the scope stock:write.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  setStock(input: Input<'setStock'>, options?: CallOptions): Promise<Output<'setStock'>>;

  /**
   * Read the orders of all customers, by their last change.
   *
   * `GET /store/orders`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `query.changedAfter`, optional: Opaque: `next` of an earlier answer. Without it, all orders are read.
   * - `query.status`, optional
   * - `query.createdFrom`, optional: Only orders placed at or after this time.
   * - `query.limit`, optional: A page may have fewer orders, even if more follow.
   * @param options for this call
   * @returns
   * - 200: Orders, those that changed last at the end.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 409: The position is of another incarnation of the database.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStoreOrders(input?: Input<'listStoreOrders'>, options?: CallOptions): Promise<Output<'listStoreOrders'>>;

  /**
   * Fetch any customer's order.
   *
   * `GET /store/orders/{id}`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStoreOrder(input: Input<'getStoreOrder'>, options?: CallOptions): Promise<Output<'getStoreOrder'>>;

  /**
   * List the credit notes of any customer's order.
   *
   * `GET /store/orders/{id}/credit-notes`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * @param options for this call
   * @returns
   * - 200: One page of the list, the oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStoreCreditNotes(input: Input<'listStoreCreditNotes'>, options?: CallOptions): Promise<Output<'listStoreCreditNotes'>>;

  /**
   * Fetch the invoice of any customer's order.
   *
   * `GET /store/orders/{id}/invoice`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The invoice, without lines: the order has them.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStoreInvoice(input: Input<'getStoreInvoice'>, options?: CallOptions): Promise<Output<'getStoreInvoice'>>;

  /**
   * Have events sent to an address, as an operator.
   *
   * `POST /webhooks`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created. Its secret is not shown again.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 409: There are 1000 webhooks.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createWebhook(input: Input<'createWebhook'>, options?: CallOptions): Promise<Output<'createWebhook'>>;

  /**
   * List webhooks, as an operator.
   *
   * `GET /webhooks`, for an API key with the scope `webhooks`
   *
   * @param options for this call
   * @returns
   * - 200: Webhooks, newest first.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listWebhooks(input?: Input<'listWebhooks'>, options?: CallOptions): Promise<Output<'listWebhooks'>>;

  /**
   * Fetch a webhook, as an operator.
   *
   * `GET /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The webhook.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getWebhook(input: Input<'getWebhook'>, options?: CallOptions): Promise<Output<'getWebhook'>>;

  /**
   * Change, pause or resume a webhook, as an operator.
   *
   * `PATCH /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The webhook.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeWebhook(input: Input<'changeWebhook'>, options?: CallOptions): Promise<Output<'changeWebhook'>>;

  /**
   * Delete a webhook with its deliveries, as an operator.
   *
   * `DELETE /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: Deleted.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteWebhook(input: Input<'deleteWebhook'>, options?: CallOptions): Promise<Output<'deleteWebhook'>>;

  /**
   * List what was sent to a webhook, as an operator.
   *
   * `GET /webhooks/{id}/deliveries`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `query.state`, optional
   * - `query.size`, optional
   * - `query.after`, optional: Opaque: taken from `Link: rel="next"`.
   * @param options for this call
   * @returns
   * - 200: Deliveries, newest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listWebhookDeliveries(input: Input<'listWebhookDeliveries'>, options?: CallOptions): Promise<Output<'listWebhookDeliveries'>>;

  /**
   * Send a delivery again, as an operator.
   *
   * `POST /webhooks/{id}/deliveries/{deliveryId}/attempts`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `path.deliveryId`
   * @param options for this call
   * @returns
   * - 202: Queued.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  repeatWebhookDelivery(input: Input<'repeatWebhookDelivery'>, options?: CallOptions): Promise<Output<'repeatWebhookDelivery'>>;

  /**
   * Send the events of a time again, as an operator.
   *
   * `POST /webhooks/{id}/replays`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 202: Queued, under the ids that they had.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  replayWebhook(input: Input<'replayWebhook'>, options?: CallOptions): Promise<Output<'replayWebhook'>>;

  /**
   * Make a new secret of a webhook, as an operator.
   *
   * `POST /webhooks/{id}/secrets`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 201: The new secret. For 24 hours the previous one signs as well.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  renewWebhookSecret(input: Input<'renewWebhookSecret'>, options?: CallOptions): Promise<Output<'renewWebhookSecret'>>;

  /**
   * Send a test to a webhook, as an operator.
   *
   * `POST /webhooks/{id}/tests`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 202: Queued.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  testWebhook(input: Input<'testWebhook'>, options?: CallOptions): Promise<Output<'testWebhook'>>;
}

/** The same, but they resolve to the whole reply. */
export interface FullMethods {
  /**
   * Identify the store.
   *
   * `GET /`
   *
   * @param options for this call
   * @returns
   * - 200: Store API
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   */
  getName(input?: FullInput<'getName'>, options?: CallOptions): Promise<Reply<'getName'>>;

  /**
   * List the accounts visible to the caller, which is only their own.
   *
   * `GET /accounts`
   *
   * @param options for this call
   * @returns
   * - 200: An array with one account.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listAccounts(input?: FullInput<'listAccounts'>, options?: CallOptions): Promise<Reply<'listAccounts'>>;

  /**
   * Fetch your own account.
   *
   * `GET /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The account.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getAccount(input: Input<'getAccount'>, options?: CallOptions): Promise<Exclude<Reply<'getAccount'>, { status: 304 }>>;

  /**
   * Fetch your own account.
   *
   * `GET /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The account.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getAccount(input: FullInput<'getAccount'>, options?: CallOptions): Promise<Reply<'getAccount'>>;

  /**
   * Change your name, e-mail address or the language of mails.
   *
   * `PATCH /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The account as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The current password is wrong.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account, or too many changes of its address.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeAccount(input: FullInput<'changeAccount'>, options?: CallOptions): Promise<Reply<'changeAccount'>>;

  /**
   * Delete your account and your personal data.
   *
   * `DELETE /accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 204: Deleted; other services delete their data within a minute.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The password is wrong.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteAccount(input: FullInput<'deleteAccount'>, options?: CallOptions): Promise<Reply<'deleteAccount'>>;

  /**
   * Export all data stored about your account.
   *
   * `GET /accounts/{id}/export`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: One JSON object. It is cut off if a service fails while it is sent.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: An export of the account is already running, or there were five within a day.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  exportAccount(input: FullInput<'exportAccount'>, options?: CallOptions): Promise<Reply<'exportAccount'>>;

  /**
   * Change your password and end your other sessions and all API keys.
   *
   * `PUT /accounts/{id}/password`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 204: Changed.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The current password is wrong, or the account is locked.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changePassword(input: FullInput<'changePassword'>, options?: CallOptions): Promise<Reply<'changePassword'>>;

  /**
   * Set the roles of an account, as an operator.
   *
   * `PUT /accounts/{id}/roles`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The current roles of the account.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  setRoles(input: FullInput<'setRoles'>, options?: CallOptions): Promise<Reply<'setRoles'>>;

  /**
   * List your sessions.
   *
   * `GET /accounts/{id}/sessions`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: Open sessions, newest first, 100 at most.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listSessions(input: FullInput<'listSessions'>, options?: CallOptions): Promise<Reply<'listSessions'>>;

  /**
   * End one of your sessions.
   *
   * `DELETE /accounts/{id}/sessions/{sessionId}`
   *
   * @param input
   * - `path.id`
   * - `path.sessionId`
   * @param options for this call
   * @returns
   * - 204: The session has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endSession(input: FullInput<'endSession'>, options?: CallOptions): Promise<Reply<'endSession'>>;

  /**
   * List station status records, oldest first.
   *
   * `GET /api/v1/status/`
   *
   * @param input
   * - `query.limit`, optional
   * - `query.cursor`, optional: Only records whose time is later.
   * - `query.station_id`, optional: Only records of this station.
   * - `query.after`, optional: The end of a page, from its Link header: unlike cursor, it skips no records of equal times. Replaces cursor.
   * - `query.skip`, optional: Records to skip; the cost grows with the value. Use after or cursor.
   * @param options for this call
   * @returns
   * - 200: One page of the list, ordered by time.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStatus(input?: FullInput<'listStatus'>, options?: CallOptions): Promise<Reply<'listStatus'>>;

  /**
   * Confirm your e-mail address, or cancel a change of it, with the link in a mail.
   *
   * `POST /auth/email-confirmations`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 204: The address is confirmed. With the link sent to the current address, the change is cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 403: The link is void or has expired.
   * - 409: Another account has taken the e-mail address.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  confirmEmail(input: FullInput<'confirmEmail'>, options?: CallOptions): Promise<Reply<'confirmEmail'>>;

  /**
   * Make an API key, which is shown only once.
   *
   * `POST /auth/keys`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Made.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account has no right to a scope, the password is wrong, or the caller is an API key.
   * - 409: The account has 100 keys that have not expired.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for this account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  makeApiKey(input: FullInput<'makeApiKey'>, options?: CallOptions): Promise<Reply<'makeApiKey'>>;

  /**
   * List your API keys.
   *
   * `GET /auth/keys`
   *
   * @param options for this call
   * @returns
   * - 200: API keys, newest first, without their tokens.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listApiKeys(input?: FullInput<'listApiKeys'>, options?: CallOptions): Promise<Reply<'listApiKeys'>>;

  /**
   * End one of your API keys.
   *
   * `DELETE /auth/keys/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: The key has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endApiKey(input: FullInput<'endApiKey'>, options?: CallOptions): Promise<Reply<'endApiKey'>>;

  /**
   * Log in and receive the token as a cookie.
   *
   * `POST /auth/login`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 200: Logged in.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The e-mail address or the password is wrong.
   * - 403: The account is locked.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many logins with this e-mail address have failed.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  logIn(input: FullInput<'logIn'>, options?: CallOptions): Promise<Reply<'logIn'>>;

  /**
   * Log out: end the session, if there is one, and clear the cookie.
   *
   * `GET /auth/logout`
   *
   * @param input
   * - `cookie.__store_jwt_token`, optional
   * @param options for this call
   * @returns
   * - 200: Logged out.
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  logOut(input?: FullInput<'logOut'>, options?: CallOptions): Promise<Reply<'logOut'>>;

  /**
   * Request a mail with a link to reset a forgotten password.
   *
   * `POST /auth/password-resets`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 202: If an account has this e-mail address, a mail is sent to it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  requestPasswordReset(input: FullInput<'requestPasswordReset'>, options?: CallOptions): Promise<Reply<'requestPasswordReset'>>;

  /**
   * Set a new password with the link in a mail, and end all your sessions.
   *
   * `POST /auth/password-resets/confirmation`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 204: The password is set.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 403: The link has been used, is void or has expired.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  confirmPasswordReset(input: FullInput<'confirmPasswordReset'>, options?: CallOptions): Promise<Reply<'confirmPasswordReset'>>;

  /**
   * Register an account.
   *
   * `POST /auth/register`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Registered.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 409: The e-mail address is taken.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  register(input: FullInput<'register'>, options?: CallOptions): Promise<Reply<'register'>>;

  /**
   * Create an account for a machine, as an operator.
   *
   * `POST /auth/service-accounts`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: You lack one of the roles, or an account with these roles has no right to a scope.
   * - 409: There are 100 service accounts.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createServiceAccount(input: FullInput<'createServiceAccount'>, options?: CallOptions): Promise<Reply<'createServiceAccount'>>;

  /**
   * List the accounts of machines, as an operator.
   *
   * `GET /auth/service-accounts`
   *
   * @param options for this call
   * @returns
   * - 200: Service accounts, newest first.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listServiceAccounts(input?: FullInput<'listServiceAccounts'>, options?: CallOptions): Promise<Reply<'listServiceAccounts'>>;

  /**
   * Fetch the account of a machine, as an operator.
   *
   * `GET /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The service account.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getServiceAccount(input: FullInput<'getServiceAccount'>, options?: CallOptions): Promise<Reply<'getServiceAccount'>>;

  /**
   * Rename, pause or resume the account of a machine, as an operator.
   *
   * `PATCH /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The service account. Its keys are refused while it is paused.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeServiceAccount(input: FullInput<'changeServiceAccount'>, options?: CallOptions): Promise<Reply<'changeServiceAccount'>>;

  /**
   * Delete the account of a machine and end its keys, as an operator.
   *
   * `DELETE /auth/service-accounts/{id}`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: Deleted. Its keys have ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteServiceAccount(input: FullInput<'deleteServiceAccount'>, options?: CallOptions): Promise<Reply<'deleteServiceAccount'>>;

  /**
   * Make a key for a machine, which is shown only once, as an operator.
   *
   * `POST /auth/service-accounts/{id}/keys`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Made.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: Your password is wrong, or you lack a role of the service account.
   * - 404: No such resource.
   * - 409: The service account has two valid keys.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many wrong passwords for your account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  makeServiceKey(input: FullInput<'makeServiceKey'>, options?: CallOptions): Promise<Reply<'makeServiceKey'>>;

  /**
   * List the keys of a machine, as an operator.
   *
   * `GET /auth/service-accounts/{id}/keys`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: Keys, newest first, without their tokens.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listServiceKeys(input: FullInput<'listServiceKeys'>, options?: CallOptions): Promise<Reply<'listServiceKeys'>>;

  /**
   * End a key of a machine, as an operator.
   *
   * `DELETE /auth/service-accounts/{id}/keys/{keyId}`
   *
   * @param input
   * - `path.id`
   * - `path.keyId`
   * @param options for this call
   * @returns
   * - 204: The key has ended.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The caller is an API key.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endServiceKey(input: FullInput<'endServiceKey'>, options?: CallOptions): Promise<Reply<'endServiceKey'>>;

  /**
   * Log out everywhere: end all of the caller's sessions, API keys and links in mails, and clear the cookie.
   *
   * `DELETE /auth/sessions`
   *
   * @param options for this call
   * @returns
   * - 204: All sessions and API keys have ended.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller is an API key.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  endSessions(input?: FullInput<'endSessions'>, options?: CallOptions): Promise<Reply<'endSessions'>>;

  /**
   * Resolve a token to the id of its account.
   *
   * `POST /auth/solve`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The token is valid.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  resolveToken(input: FullInput<'resolveToken'>, options?: CallOptions): Promise<Reply<'resolveToken'>>;

  /**
   * Check that the gateway is up.
   *
   * `GET /health-check`
   *
   * @param options for this call
   * @returns
   * - 200: The gateway is up.
   * @throws StoreProblem
   * - 429: Too many requests from this client address or account.
   */
  checkHealth(input?: FullInput<'checkHealth'>, options?: CallOptions): Promise<Reply<'checkHealth'>>;

  /**
   * List messages to customers about their orders.
   *
   * `GET /notifications`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.orderId`, optional
   * - `query.customerId`, optional
   * @param options for this call
   * @returns
   * - 200: A page.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The API key lacks the scope orders:read.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listNotifications(input?: FullInput<'listNotifications'>, options?: CallOptions): Promise<Reply<'listNotifications'>>;

  /**
   * Place an order.
   *
   * `POST /orders`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `header.idempotency-key`, optional: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Placed. A repeated Idempotency-Key gets the stored reply.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: customerId is not the caller, or the e-mail address of the caller is not confirmed.
   * - 409: The total differs from the expected total, or the first request with this Idempotency-Key is still running.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many orders of the account were cancelled within an hour.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  placeOrder(input: FullInput<'placeOrder'>, options?: CallOptions): Promise<Reply<'placeOrder'>>;

  /**
   * List your orders.
   *
   * `GET /orders`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.status`, optional
   * - `query.customerId`, optional
   * - `query.idempotencyKey`, optional: The order that was placed with this Idempotency-Key, as long as the key is kept.
   * - `query.createdFrom`, optional: Only orders placed at or after this time.
   * - `query.createdTo`, optional: Only orders placed before this time.
   * - `query.metadata`, optional: Only orders with these values: metadata[key]=value.
   * @param options for this call
   * @returns
   * - 200: A page.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listOrders(input?: FullInput<'listOrders'>, options?: CallOptions): Promise<Reply<'listOrders'>>;

  /**
   * Fetch one of your orders.
   *
   * `GET /orders/{id}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getOrder(input: Input<'getOrder'>, options?: CallOptions): Promise<Exclude<Reply<'getOrder'>, { status: 304 }>>;

  /**
   * Fetch one of your orders.
   *
   * `GET /orders/{id}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getOrder(input: FullInput<'getOrder'>, options?: CallOptions): Promise<Reply<'getOrder'>>;

  /**
   * Cancel an order by setting its status.
   *
   * `PATCH /orders/{id}`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The cancelled order.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 409: The order has been shipped, or: The resource no longer has the version that the body names.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: Only CANCELLED can be set.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeOrder(input: FullInput<'changeOrder'>, options?: CallOptions): Promise<Reply<'changeOrder'>>;

  /**
   * Delete an order: cancel it if possible, and hide it.
   *
   * `DELETE /orders/{id}`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * @param options for this call
   * @returns
   * - 204: The order is hidden from you.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteOrder(input: FullInput<'deleteOrder'>, options?: CallOptions): Promise<Reply<'deleteOrder'>>;

  /**
   * Cancel an order.
   *
   * `POST /orders/{id}/cancellation`, for an API key with the scope `orders:write`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The order was already cancelled.
   * - 201: Cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:write.
   * - 404: No such resource.
   * - 409: The order has been shipped.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  cancelOrder(input: FullInput<'cancelOrder'>, options?: CallOptions): Promise<Reply<'cancelOrder'>>;

  /**
   * Fetch the cancellation of an order.
   *
   * `GET /orders/{id}/cancellation`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: When and why the order was cancelled.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCancellation(input: FullInput<'getCancellation'>, options?: CallOptions): Promise<Reply<'getCancellation'>>;

  /**
   * List the credit notes of one of your orders.
   *
   * `GET /orders/{id}/credit-notes`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * @param options for this call
   * @returns
   * - 200: One page of the list, the oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCreditNotes(input: FullInput<'getCreditNotes'>, options?: CallOptions): Promise<Reply<'getCreditNotes'>>;

  /**
   * Fetch a credit note of one of your orders.
   *
   * `GET /orders/{id}/credit-notes/{number}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `path.number`
   * @param options for this call
   * @returns
   * - 200: The credit note; with `Accept: text/html`, as a page to print.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getCreditNote(input: FullInput<'getCreditNote'>, options?: CallOptions): Promise<Reply<'getCreditNote'>>;

  /**
   * Fetch the invoice of one of your orders.
   *
   * `GET /orders/{id}/invoice`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The invoice; with `Accept: text/html`, as a page to print.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getInvoice(input: FullInput<'getInvoice'>, options?: CallOptions): Promise<Reply<'getInvoice'>>;

  /**
   * Refund a part of an order.
   *
   * `POST /orders/{id}/refunds`, for an API key with the scope `refunds:write`
   *
   * @param input
   * - `path.id`
   * - `header.idempotency-key`: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: The provider will be asked for the refund.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope refunds:write.
   * - 404: No such resource.
   * - 409: The order is not paid, or the refund exceeds what is left of its payment.
   * - 413: The body is larger than 24 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  refundOrder(input: FullInput<'refundOrder'>, options?: CallOptions): Promise<Reply<'refundOrder'>>;

  /**
   * List the refunds of one of your orders; operators, of any order.
   *
   * `GET /orders/{id}/refunds`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The refunds, oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listRefunds(input: FullInput<'listRefunds'>, options?: CallOptions): Promise<Reply<'listRefunds'>>;

  /**
   * Fetch a refund of one of your orders; operators, of any order.
   *
   * `GET /orders/{id}/refunds/{refundId}`, for an API key with the scope `orders:read`
   *
   * @param input
   * - `path.id`
   * - `path.refundId`
   * @param options for this call
   * @returns
   * - 200: The refund.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getRefund(input: FullInput<'getRefund'>, options?: CallOptions): Promise<Reply<'getRefund'>>;

  /**
   * Ship an order of any customer.
   *
   * `POST /orders/{id}/shipments`, for an API key with the scope `orders:ship`
   *
   * @param input
   * - `path.id`
   * - `header.idempotency-key`, optional: Chosen by the client, such as a UUID. A repeated request gets the reply to the first.
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Shipped. A repeated Idempotency-Key gets the stored reply.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:ship.
   * - 404: No such resource.
   * - 409: The order is cancelled, has already been shipped, or is not paid, or the first request with this Idempotency-Key is still running.
   * - 413: The body is larger than 32 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 422: The Idempotency-Key was used for another request.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  shipOrder(input: FullInput<'shipOrder'>, options?: CallOptions): Promise<Reply<'shipOrder'>>;

  /**
   * List the shipments of an order.
   *
   * `GET /orders/{id}/shipments`, for an API key with the scope `orders:read` or `orders:ship` or `orders:all`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: None, or one.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read or orders:ship or orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listShipments(input: FullInput<'listShipments'>, options?: CallOptions): Promise<Reply<'listShipments'>>;

  /**
   * Fetch a shipment of an order.
   *
   * `GET /orders/{id}/shipments/{shipmentId}`, for an API key with the scope `orders:read` or `orders:ship` or `orders:all`
   *
   * @param input
   * - `path.id`
   * - `path.shipmentId`
   * @param options for this call
   * @returns
   * - 200: The shipment.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope orders:read or orders:ship or orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getShipment(input: FullInput<'getShipment'>, options?: CallOptions): Promise<Reply<'getShipment'>>;

  /**
   * List products.
   *
   * `GET /products`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.q`, optional: Text in the name, or the beginning of the `sku`, in any letter case. Without three letters or digits in a row, it must begin the name or follow a space.
   * - `query.category`, optional: Only products of this category, spelled exactly.
   * - `query.sku`, optional: Only products with one of these; repeatable up to 100 times.
   * - `query.id`, optional: Only these products; repeatable up to 100 times.
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: One page of the list.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listProducts(input?: Input<'listProducts'>, options?: CallOptions): Promise<Exclude<Reply<'listProducts'>, { status: 304 }>>;

  /**
   * List products.
   *
   * `GET /products`
   *
   * @param input
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * - `query.sort`, optional
   * - `query.q`, optional: Text in the name, or the beginning of the `sku`, in any letter case. Without three letters or digits in a row, it must begin the name or follow a space.
   * - `query.category`, optional: Only products of this category, spelled exactly.
   * - `query.sku`, optional: Only products with one of these; repeatable up to 100 times.
   * - `query.id`, optional: Only these products; repeatable up to 100 times.
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: One page of the list.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listProducts(input?: FullInput<'listProducts'>, options?: CallOptions): Promise<Reply<'listProducts'>>;

  /**
   * Create a product.
   *
   * `POST /products`, for an API key with the scope `products:write`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 409: Another product has the `sku`.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createProduct(input: FullInput<'createProduct'>, options?: CallOptions): Promise<Reply<'createProduct'>>;

  /**
   * Create or replace the product with a sku.
   *
   * `PUT /products`, for an API key with the scope `products:write`
   *
   * @param input
   * - `query.sku`: The `sku` of the product.
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `header.if-none-match`, optional: An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The product as it is now: it existed.
   * - 201: Created.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 409: The resource no longer has the version that the body names. Or another product has the `sku`.
   * - 412: The product is not in the state that If-Match or If-None-Match demands.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  putProduct(input: FullInput<'putProduct'>, options?: CallOptions): Promise<Reply<'putProduct'>>;

  /**
   * Fetch how many pieces of each product can still be ordered.
   *
   * `GET /products/availability`
   *
   * @param input
   * - `query.id`: A product; repeatable up to 100 times.
   * @param options for this call
   * @returns
   * - 200: The requested products.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listAvailability(input: FullInput<'listAvailability'>, options?: CallOptions): Promise<Reply<'listAvailability'>>;

  /**
   * List the categories of products.
   *
   * `GET /products/categories`
   *
   * @param input
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: At most 1000 categories, in order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listCategories(input?: Input<'listCategories'>, options?: CallOptions): Promise<Exclude<Reply<'listCategories'>, { status: 304 }>>;

  /**
   * List the categories of products.
   *
   * `GET /products/categories`
   *
   * @param input
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: At most 1000 categories, in order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listCategories(input?: FullInput<'listCategories'>, options?: CallOptions): Promise<Reply<'listCategories'>>;

  /**
   * Show an import of products.
   *
   * `GET /products/imports/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The import as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The API key lacks the scope products:write.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getProductImport(input: FullInput<'getProductImport'>, options?: CallOptions): Promise<Reply<'getProductImport'>>;

  /**
   * Fetch a product.
   *
   * `GET /products/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The product.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getProduct(input: Input<'getProduct'>, options?: CallOptions): Promise<Exclude<Reply<'getProduct'>, { status: 304 }>>;

  /**
   * Fetch a product.
   *
   * `GET /products/{id}`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The product.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getProduct(input: FullInput<'getProduct'>, options?: CallOptions): Promise<Reply<'getProduct'>>;

  /**
   * Replace a product.
   *
   * `PUT /products/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The product as it is now.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 404: No such resource.
   * - 409: The resource no longer has the version that the body names. Or another product has the `sku`.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 192 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  replaceProduct(input: FullInput<'replaceProduct'>, options?: CallOptions): Promise<Reply<'replaceProduct'>>;

  /**
   * Delete a product.
   *
   * `DELETE /products/{id}`, for an API key with the scope `products:write`
   *
   * @param input
   * - `path.id`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * @param options for this call
   * @returns
   * - 204: Deleted.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The account may not change products.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteProduct(input: FullInput<'deleteProduct'>, options?: CallOptions): Promise<Reply<'deleteProduct'>>;

  /**
   * Show how many pieces can still be reserved.
   *
   * `GET /stock/{productId}`, for an API key with the scope `stock:write`
   *
   * @param input
   * - `path.productId`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The stock.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The caller lacks the role catalogue. The API key lacks the scope stock:write.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStock(input: Input<'getStock'>, options?: CallOptions): Promise<Exclude<Reply<'getStock'>, { status: 304 }>>;

  /**
   * Show how many pieces can still be reserved.
   *
   * `GET /stock/{productId}`, for an API key with the scope `stock:write`
   *
   * @param input
   * - `path.productId`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The stock.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The caller lacks the role catalogue. The API key lacks the scope stock:write.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStock(input: FullInput<'getStock'>, options?: CallOptions): Promise<Reply<'getStock'>>;

  /**
   * Set how many pieces can still be reserved.
   *
   * `PUT /stock/{productId}`, for an API key with the scope `stock:write`
   *
   * @param input
   * - `path.productId`
   * - `header.if-match`, optional: The ETag that the resource must still have; otherwise the answer is 412.
   * - `header.if-none-match`, optional: An ETag that the resource must not have; `*`: it must not exist. Otherwise the answer is 412.
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The new stock.
   * - 201: The new stock of a product that had none yet.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The credential of the caller is missing or wrong. The caller lacks the role catalogue. The API key lacks the scope stock:write.
   * - 404: No such resource.
   * - 412: The resource is no longer in the state that If-Match names.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  setStock(input: FullInput<'setStock'>, options?: CallOptions): Promise<Reply<'setStock'>>;

  /**
   * Read the orders of all customers, by their last change.
   *
   * `GET /store/orders`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `query.changedAfter`, optional: Opaque: `next` of an earlier answer. Without it, all orders are read.
   * - `query.status`, optional
   * - `query.createdFrom`, optional: Only orders placed at or after this time.
   * - `query.limit`, optional: A page may have fewer orders, even if more follow.
   * @param options for this call
   * @returns
   * - 200: Orders, those that changed last at the end.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 409: The position is of another incarnation of the database.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStoreOrders(input?: FullInput<'listStoreOrders'>, options?: CallOptions): Promise<Reply<'listStoreOrders'>>;

  /**
   * Fetch any customer's order.
   *
   * `GET /store/orders/{id}`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStoreOrder(input: Input<'getStoreOrder'>, options?: CallOptions): Promise<Exclude<Reply<'getStoreOrder'>, { status: 304 }>>;

  /**
   * Fetch any customer's order.
   *
   * `GET /store/orders/{id}`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * - `header.if-none-match`, optional: The ETag that the client has; the answer is 304 while it is current.
   * @param options for this call
   * @returns
   * - 200: The order.
   * - 304: The client has the current state: its `If-None-Match` names it.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStoreOrder(input: FullInput<'getStoreOrder'>, options?: CallOptions): Promise<Reply<'getStoreOrder'>>;

  /**
   * List the credit notes of any customer's order.
   *
   * `GET /store/orders/{id}/credit-notes`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * - `query.page`, optional: page × size is at most 10000; use after to read on.
   * - `query.size`, optional
   * - `query.after`, optional
   * @param options for this call
   * @returns
   * - 200: One page of the list, the oldest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listStoreCreditNotes(input: FullInput<'listStoreCreditNotes'>, options?: CallOptions): Promise<Reply<'listStoreCreditNotes'>>;

  /**
   * Fetch the invoice of any customer's order.
   *
   * `GET /store/orders/{id}/invoice`, for an API key with the scope `orders:all`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The invoice, without lines: the order has them.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope orders:all.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getStoreInvoice(input: FullInput<'getStoreInvoice'>, options?: CallOptions): Promise<Reply<'getStoreInvoice'>>;

  /**
   * Have events sent to an address, as an operator.
   *
   * `POST /webhooks`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `body`
   * @param options for this call
   * @returns
   * - 201: Created. Its secret is not shown again.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 409: There are 1000 webhooks.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  createWebhook(input: FullInput<'createWebhook'>, options?: CallOptions): Promise<Reply<'createWebhook'>>;

  /**
   * List webhooks, as an operator.
   *
   * `GET /webhooks`, for an API key with the scope `webhooks`
   *
   * @param options for this call
   * @returns
   * - 200: Webhooks, newest first.
   * @throws StoreProblem
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listWebhooks(input?: FullInput<'listWebhooks'>, options?: CallOptions): Promise<Reply<'listWebhooks'>>;

  /**
   * Fetch a webhook, as an operator.
   *
   * `GET /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 200: The webhook.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  getWebhook(input: FullInput<'getWebhook'>, options?: CallOptions): Promise<Reply<'getWebhook'>>;

  /**
   * Change, pause or resume a webhook, as an operator.
   *
   * `PATCH /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 200: The webhook.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  changeWebhook(input: FullInput<'changeWebhook'>, options?: CallOptions): Promise<Reply<'changeWebhook'>>;

  /**
   * Delete a webhook with its deliveries, as an operator.
   *
   * `DELETE /webhooks/{id}`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 204: Deleted.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  deleteWebhook(input: FullInput<'deleteWebhook'>, options?: CallOptions): Promise<Reply<'deleteWebhook'>>;

  /**
   * List what was sent to a webhook, as an operator.
   *
   * `GET /webhooks/{id}/deliveries`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `query.state`, optional
   * - `query.size`, optional
   * - `query.after`, optional: Opaque: taken from `Link: rel="next"`.
   * @param options for this call
   * @returns
   * - 200: Deliveries, newest first.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  listWebhookDeliveries(input: FullInput<'listWebhookDeliveries'>, options?: CallOptions): Promise<Reply<'listWebhookDeliveries'>>;

  /**
   * Send a delivery again, as an operator.
   *
   * `POST /webhooks/{id}/deliveries/{deliveryId}/attempts`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `path.deliveryId`
   * @param options for this call
   * @returns
   * - 202: Queued.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  repeatWebhookDelivery(input: FullInput<'repeatWebhookDelivery'>, options?: CallOptions): Promise<Reply<'repeatWebhookDelivery'>>;

  /**
   * Send the events of a time again, as an operator.
   *
   * `POST /webhooks/{id}/replays`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * - `body`
   * @param options for this call
   * @returns
   * - 202: Queued, under the ids that they had.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 413: The body is larger than 8 KiB.
   * - 415: The body is compressed, or is not JSON in UTF-8.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  replayWebhook(input: FullInput<'replayWebhook'>, options?: CallOptions): Promise<Reply<'replayWebhook'>>;

  /**
   * Make a new secret of a webhook, as an operator.
   *
   * `POST /webhooks/{id}/secrets`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 201: The new secret. For 24 hours the previous one signs as well.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  renewWebhookSecret(input: FullInput<'renewWebhookSecret'>, options?: CallOptions): Promise<Reply<'renewWebhookSecret'>>;

  /**
   * Send a test to a webhook, as an operator.
   *
   * `POST /webhooks/{id}/tests`, for an API key with the scope `webhooks`
   *
   * @param input
   * - `path.id`
   * @param options for this call
   * @returns
   * - 202: Queued.
   * @throws StoreProblem
   * - 400: The request is malformed or violates a rule of its fields.
   * - 401: The token cookie is missing, or its token is not valid: log in.
   * - 403: The caller lacks the role operator. The API key lacks the scope webhooks.
   * - 404: No such resource.
   * - 429: Too many requests from this client address or account.
   * - 503: The service, or a dependency of it, is unavailable.
   * - 504: The service did not respond in time. The request may have taken effect.
   * - others: Any other failure, such as a 500 with a trace id.
   */
  testWebhook(input: FullInput<'testWebhook'>, options?: CallOptions): Promise<Reply<'testWebhook'>>;
}
