-- For operators, who list the orders of all customers, deleted ones included, the newest first: each status is a range of the first
-- index. The second one finds few orders by their amount among many. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "orders_status_created_at_id_idx";

CREATE INDEX CONCURRENTLY "orders_status_created_at_id_idx" ON "orders" ("status", "created_at", "id");

DROP INDEX CONCURRENTLY IF EXISTS "orders_status_total_amount_idx";

CREATE INDEX CONCURRENTLY "orders_status_total_amount_idx" ON "orders" ("status", "total_amount");
