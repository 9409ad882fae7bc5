-- What a person has done, the latest first. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "audit_actor_id_idx";

CREATE INDEX CONCURRENTLY "audit_actor_id_idx" ON "audit"("actor", "id");
