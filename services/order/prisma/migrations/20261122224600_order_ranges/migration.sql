-- What an account is shown, by status: each sort of a list is a range of one of these per status, filtered or not, and no more
-- indexes than before are written for an order.
CREATE INDEX IF NOT EXISTS "orders_shown_status_created_at_idx" ON "orders"("account_id", "status", "created_at", "id") WHERE "deleted_at" IS NULL;
CREATE INDEX IF NOT EXISTS "orders_shown_status_total_idx" ON "orders"("account_id", "status", "total_amount", "id") WHERE "deleted_at" IS NULL;
-- For operators, who see these, too.
CREATE INDEX IF NOT EXISTS "orders_deleted_idx" ON "orders"("account_id", "created_at") WHERE "deleted_at" IS NOT NULL;
-- Replicas of the previous release sort what they read by another index: slower, but right.
DROP INDEX "orders_shown_created_at_idx";
DROP INDEX "orders_account_id_total_amount_id_idx";
