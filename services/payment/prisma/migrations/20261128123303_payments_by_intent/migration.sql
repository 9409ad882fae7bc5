DROP INDEX CONCURRENTLY IF EXISTS "payments_intent_id_key";

CREATE UNIQUE INDEX CONCURRENTLY "payments_intent_id_key" ON "payments"("intent_id") WHERE "intent_id" IS NOT NULL;
