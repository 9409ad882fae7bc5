// Written by make api from docs/problems.md.
export type ProblemCode =
  | 'validation'
  | 'malformed-json'
  | 'unknown-product'
  | 'email-taken'
  | 'stale-version'
  | 'order-shipped'
  | 'price-changed'
  | 'idempotency-key-in-use'
  | 'idempotency-key-reused'
  | 'status-not-settable'
  | 'too-many-requests'
  | 'too-many-streams'
  | 'too-many-failures'
  | 'wrong-password'
  | 'database-away'
  | 'overloaded';
