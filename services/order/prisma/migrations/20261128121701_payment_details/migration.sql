-- What an order is paid with, and what its customer still has to do. Both are secrets, and are kept only while the order is PENDING.
CREATE TABLE IF NOT EXISTS "payment_details" (
  "order_id" UUID NOT NULL PRIMARY KEY REFERENCES "orders"("id") ON DELETE CASCADE,
  "account_id" UUID NOT NULL,
  "token" TEXT,
  "action_url" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS "payment_details_account_id_idx" ON "payment_details"("account_id");
CREATE INDEX IF NOT EXISTS "payment_details_created_at_idx" ON "payment_details"("created_at");
