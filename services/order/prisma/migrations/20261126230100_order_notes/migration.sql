-- What operators write about an order. Its customer reads none of it.
CREATE TABLE IF NOT EXISTS "order_notes" (
  "id" UUID NOT NULL PRIMARY KEY,
  "order_id" UUID NOT NULL REFERENCES "orders"("id") ON DELETE CASCADE,
  "account_id" UUID NOT NULL,
  "kind" TEXT NOT NULL CHECK ("kind" IN ('NOTE', 'CANCELLATION')),
  "actor" TEXT NOT NULL,
  "text" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS "order_notes_order_id_created_at_idx" ON "order_notes"("order_id", "created_at");
CREATE INDEX IF NOT EXISTS "order_notes_account_id_idx" ON "order_notes"("account_id");
