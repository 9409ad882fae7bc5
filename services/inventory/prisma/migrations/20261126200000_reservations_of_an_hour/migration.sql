-- What the orders of an account have taken within an hour. What is shipped leaves the index. Writes go on meanwhile; an interruption
-- leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "reservations_taken_idx";

CREATE INDEX CONCURRENTLY "reservations_taken_idx" ON "reservations" ("customer_id", "created_at") WHERE "status" IN ('RESERVED', 'RELEASED');
