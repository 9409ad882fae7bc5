ALTER TABLE "orders" ADD COLUMN "traceparent" TEXT;

-- What is shipped or cancelled leaves the index, so that the shipper's look at nothing due stays free.
CREATE INDEX IF NOT EXISTS "orders_unshipped_idx" ON "orders"("paid_at") WHERE "status" = 'CONFIRMED' AND "shipped_at" IS NULL;
