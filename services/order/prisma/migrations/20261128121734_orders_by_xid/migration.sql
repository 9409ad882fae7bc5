-- The orders of all customers by their last change. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "orders_changed_xid_id_idx";

CREATE INDEX CONCURRENTLY "orders_changed_xid_id_idx" ON "orders" ("changed_xid", "id");
