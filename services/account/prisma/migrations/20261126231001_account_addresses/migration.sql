DROP INDEX CONCURRENTLY IF EXISTS "accounts_email_trgm_idx";

CREATE INDEX CONCURRENTLY "accounts_email_trgm_idx" ON "accounts" USING GIN ("email" gin_trgm_ops);
