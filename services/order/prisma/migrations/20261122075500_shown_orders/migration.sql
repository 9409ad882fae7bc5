-- What its owner has deleted leaves these indexes, so that the orders of a list are counted without reading their rows, each
-- of which is on another page of a large table.
CREATE INDEX IF NOT EXISTS "orders_shown_created_at_idx" ON "orders"("account_id", "created_at", "id") WHERE "deleted_at" IS NULL;
CREATE INDEX IF NOT EXISTS "orders_shown_status_idx" ON "orders"("account_id", "status", "id") WHERE "deleted_at" IS NULL;
DROP INDEX "orders_account_id_created_at_id_idx";
DROP INDEX "orders_account_id_status_id_idx";
