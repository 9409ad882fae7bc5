ALTER TABLE "notifications" ADD COLUMN "refusal" TEXT;
