-- What is confirmed or cancelled leaves the index.
CREATE INDEX IF NOT EXISTS "orders_pending_idx" ON "orders"("created_at") WHERE "status" = 'PENDING';
