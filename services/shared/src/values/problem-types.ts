/**
 * Problem codes, each with its status, its meaning, and what a client should do. The type of a problem is
 * `urn:problem:store:<code>`: clients compare it, so it must never change. A URL would change with the repository's host.
 */
export const problemTypes = {
  validation: '400: A field or a parameter is invalid. `errors` lists up to 20 of them, with their places.',
  'malformed-json': '400: The body is not JSON in UTF-8, or is nested more than 20 levels deep.',
  'unknown-product': '400: The order names a product that does not exist or was deleted. Read the catalogue again.',
  'email-taken': '409: An account with this e-mail address already exists. Log in, or register with another address.',
  'invalid-token':
    '403: The link from a mail was already used, is older than half an hour (a day for an e-mail address), ' +
    'or is void because the password or the address has changed. Request a new link.',
  'account-locked':
    '403: The password is correct, but the account is locked until an operator of the store unlocks it.',
  'email-not-confirmed':
    '403: Only customers with a confirmed e-mail address may order here. Follow the link in the mail. ' +
    '`PATCH /accounts/{id}` with the same address and the password sends a new mail.',
  'too-many-resets': '429: This client address requested too many mails about forgotten passwords within an hour.',
  'too-many-changes':
    '429: The account requested five changes of its e-mail address within an hour. ' +
    'Follow the link in the last mail, or wait for `Retry-After`.',
  'stale-version':
    '409: The product or order no longer has the given `version`: somebody else changed it, ' +
    'or this change succeeded and its answer was lost. Fetch it again before you retry.',
  'sku-taken': '409: Another product has this `sku`. Change that product, or choose another `sku`.',
  'order-shipped': '409: The order has been shipped, so it can be neither cancelled nor shipped again.',
  'order-cancelled': '409: The order is cancelled and can no longer be shipped.',
  'position-lost':
    '409: The database was restarted or replaced since the position in `changedAfter` was given, so changes may be missing. ' +
    'Read all orders again, without `changedAfter`.',
  'price-changed':
    '409: The order would not cost its `expectedTotal`. `total` is the actual total, and `items` have the unit prices. ' +
    'If the customer agrees, send the order with the new total; the same `Idempotency-Key` may be used.',
  'payment-required':
    '422: An order must say what it is paid with here: `payment.token`, which the provider of payments gives the client. ' +
    'The same `Idempotency-Key` may be used.',
  'idempotency-key-in-use':
    '409: The first request with this `Idempotency-Key` is still being answered. ' +
    'Repeat the same request after `Retry-After`.',
  'idempotency-key-reused':
    '422: The `Idempotency-Key` was already used for another request. A new order needs a new key.',
  'refund-exceeds-payment':
    '409: The refund would exceed what is left of the payment: what was captured, less refunds that have succeeded or may ' +
    'still succeed, and less what the customer disputes.',
  'order-not-paid':
    '409: The order is not paid yet, or never was, so it can be neither shipped nor refunded. ' +
    'It can be shipped once its status is `CONFIRMED`.',
  'status-not-settable': '422: A client can only set an order to `CANCELLED`. Other statuses follow from events.',
  'too-many-requests':
    '429: The account has as many requests in flight as it is allowed. Wait for answers before sending more.',
  'too-many-cancellations':
    '429: Too many of the orders that the account placed within an hour were cancelled. Its other orders continue.',
  'too-many-imports':
    '429: An import of the account is in progress. Wait for its end, which `GET /products/imports/{id}` shows.',
  'too-many-exports':
    '429: An export of the account is in progress, or there were five within a day. Try again after `Retry-After`.',
  'too-many-streams':
    '429: The account or the client address has as many streams of order events open as it is allowed. ' +
    'Close one, and retry after `Retry-After`.',
  'too-many-failures':
    '429: Too many logins with this e-mail address have failed. Until `Retry-After` even a correct login is refused.',
  'too-many-keys':
    '409: The account has 100 unexpired API keys, including revoked ones: use shorter lifetimes. ' +
    'Or the service account has two valid keys: end the one that is no longer used.',
  'too-many-webhooks': '409: There are 1000 webhooks. Delete one that is no longer used.',
  'too-many-service-accounts': '409: There are 100 service accounts. Delete one that is no longer used.',
  'wrong-password':
    '403: The current password in the body is wrong, and nothing was changed. Each attempt counts as a failed login.',
  'database-away':
    '503: The database of the service cannot be reached, is misconfigured, took too long, or had too many ' +
    'conflicting changes. Either nothing was changed or, after a broken connection, the whole request took effect. ' +
    'Repeat after `Retry-After`, an order with the same `Idempotency-Key`.',
  overloaded: '503: The service is at its capacity. Repeat the request after `Retry-After`, and less often.',
} as const;

export type ProblemCode = keyof typeof problemTypes;

export const problemType = (code: ProblemCode) => `urn:problem:store:${code}`;
