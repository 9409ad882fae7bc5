-- For operators who look for a customer. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "accounts_name_trgm_idx";

-- A trusted extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX CONCURRENTLY "accounts_name_trgm_idx" ON "accounts" USING GIN ("name" gin_trgm_ops);
