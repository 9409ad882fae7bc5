-- The product's name as it was when the order was placed; unknown for orders before.
ALTER TABLE "order_items" ADD COLUMN IF NOT EXISTS "name" TEXT;

-- What few orders have. A table of its own: its indexes are built while it is empty, and other orders cost nothing more.
CREATE TABLE IF NOT EXISTS "order_details" (
  "order_id" UUID NOT NULL PRIMARY KEY REFERENCES "orders"("id") ON DELETE CASCADE,
  "account_id" UUID NOT NULL,
  "shipping_address" JSON,
  "metadata" JSONB
);
CREATE INDEX IF NOT EXISTS "order_details_account_id_idx" ON "order_details"("account_id");
CREATE INDEX IF NOT EXISTS "order_details_metadata_idx" ON "order_details" USING GIN ("metadata" jsonb_path_ops);
