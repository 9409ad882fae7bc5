-- For the list of all, newest first. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "disputes_created_at_id_idx";

CREATE INDEX CONCURRENTLY "disputes_created_at_id_idx" ON "disputes"("created_at", "id");
