-- Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "notifications_digest_id_idx";

CREATE INDEX CONCURRENTLY "notifications_digest_id_idx" ON "notifications" ("digest_id") WHERE "digest_id" IS NOT NULL;

-- Of a customer one digest is open: once a sender has claimed it, it takes no more messages.
DROP INDEX CONCURRENTLY IF EXISTS "notifications_open_digest_idx";

CREATE UNIQUE INDEX CONCURRENTLY "notifications_open_digest_idx" ON "notifications" ("customer_id") WHERE "kind" = 'Digest' AND "attempts" = 0;
