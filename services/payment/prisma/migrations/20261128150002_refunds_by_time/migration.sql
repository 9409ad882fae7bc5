-- For the list of all, newest first. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "refunds_created_at_id_idx";

CREATE INDEX CONCURRENTLY "refunds_created_at_id_idx" ON "refunds"("created_at", "id");
