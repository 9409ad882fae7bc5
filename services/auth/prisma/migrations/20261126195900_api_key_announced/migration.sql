-- By its default the keys until now, and those of the previous release, are announced to nobody.
ALTER TABLE "api_keys" ADD COLUMN "announced_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;
CREATE INDEX "api_keys_unannounced_idx" ON "api_keys"("created_at") WHERE "announced_at" IS NULL;
