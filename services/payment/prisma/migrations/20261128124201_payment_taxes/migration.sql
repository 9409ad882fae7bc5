-- Null if nothing is taxed, and on payments of the previous release.
ALTER TABLE "payments" ADD COLUMN "taxes" JSONB;
