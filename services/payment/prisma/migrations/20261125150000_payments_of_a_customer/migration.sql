-- For the export of an account. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "payments_customer_id_order_id_idx";

CREATE INDEX CONCURRENTLY "payments_customer_id_order_id_idx" ON "payments" ("customer_id", "order_id");
