-- Payments that the books lack: those from before the books, and those that replicas of the previous release change. Writes go on
-- meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "payments_unbooked_idx";

CREATE INDEX CONCURRENTLY "payments_unbooked_idx" ON "payments" ("order_id")
WHERE "status" IN ('PAID', 'REFUNDED') AND "booked" IS DISTINCT FROM "status";
