ALTER TABLE "accounts" ADD COLUMN "closing_at" TIMESTAMPTZ(3);
