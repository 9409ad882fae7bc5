DROP INDEX CONCURRENTLY IF EXISTS "payment_steps_open_idx";

-- The few that an operator must look at are counted again and again.
CREATE INDEX CONCURRENTLY "payment_steps_open_idx" ON "payment_steps"("open_since", "id") WHERE "open_since" IS NOT NULL;
