/**
 * Codes of problems, each with its status, its meaning, and the reaction of a client. The type of a problem is
 * `urn:problem:store:<code>`: clients compare it, so it never changes, as a URL would with the host of a repository.
 */
export const problemTypes = {
  validation: '400: A field or a parameter breaks its rule. `errors` has up to 20 of them, with their places.',
  'malformed-json': '400: The body is not JSON in UTF-8, or is nested more than 20 levels deep.',
  'unknown-product': '400: The order names a product that does not exist, or no longer. Read the catalogue again.',
  'email-taken': '409: An account with this e-mail address exists already. Log in, or register with another address.',
  'invalid-token':
    '403: The link of a mail was used, is older than half an hour (a day for an e-mail address), ' +
    'or is void since the password or the address has changed. Ask for another.',
  'account-locked':
    '403: The password is right, but the account is locked: nobody can log in to it until an operator of the store unlocks it.',
  'email-not-confirmed':
    '403: Only customers with a confirmed e-mail address may order here. Follow the link in the mail. ' +
    '`PATCH /accounts/{id}` with the same address and the password sends another one.',
  'too-many-resets': '429: This client address asked for too many mails about forgotten passwords within an hour.',
  'too-many-changes':
    "429: The account's e-mail address was to be changed five times within an hour. " +
    'Follow the link in the last mail, or wait for `Retry-After`.',
  'stale-version':
    '409: The product or order no longer has the `version` that was named: somebody else was faster, ' +
    'or the first answer to this change was lost. Read it again, and decide anew.',
  'order-shipped': '409: The order has left and can no longer be cancelled.',
  'price-changed':
    '409: The order would not cost its `expectedTotal`. `total` is what it would cost, `items` have the prices. ' +
    'If the customer agrees, send it with the new total; the same `Idempotency-Key` may be used.',
  'idempotency-key-in-use':
    '409: The first request with this `Idempotency-Key` is still being answered. ' +
    'Repeat the same request after `Retry-After`.',
  'idempotency-key-reused': '422: The `Idempotency-Key` was used for another request. A new order needs a new key.',
  'status-not-settable': '422: A client can set an order to `CANCELLED` only. Other statuses follow from events.',
  'too-many-requests':
    '429: The account has as many requests in flight as it may. Wait for answers before sending more.',
  'too-many-cancellations':
    '429: Too many orders of the account, of those placed within an hour, were cancelled. Its orders that are under way go on.',
  'too-many-exports':
    '429: An export of the account is under way, or there were five within a day. Try again after `Retry-After`.',
  'too-many-streams':
    '429: The account, or the client address, has as many streams of order events open as it may. ' +
    'Close one, and retry after `Retry-After`.',
  'too-many-failures':
    '429: Too many logins with this e-mail address have failed. Until `Retry-After` even a correct one is refused.',
  'too-many-keys':
    '409: The account has 100 API keys that have not expired, ended ones included. Let keys live shorter.',
  'wrong-password':
    '403: The current password in the body is wrong, and nothing was changed. Wrong ones count as failed logins do.',
  'database-away':
    '503: The database of the service cannot be reached, is misconfigured, took too long, or was changed by too many ' +
    'at once. Either nothing was changed or, after a broken connection, everything that was asked for: ' +
    'repeat after `Retry-After`, an order with the same `Idempotency-Key`.',
  overloaded: '503: The service is at its capacity. Repeat the request after `Retry-After`, and less often.',
} as const;

export type ProblemCode = keyof typeof problemTypes;

export const problemType = (code: ProblemCode) => `urn:problem:store:${code}`;
