-- For the export of an account. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "reservations_customer_id_order_id_idx";

CREATE INDEX CONCURRENTLY "reservations_customer_id_order_id_idx" ON "reservations" ("customer_id", "order_id");
