-- Accounts that were deleted lately: an order that was on its way then brings its address afterwards.
CREATE TABLE IF NOT EXISTS "deleted_accounts" (
  "account_id" UUID NOT NULL PRIMARY KEY,
  "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
