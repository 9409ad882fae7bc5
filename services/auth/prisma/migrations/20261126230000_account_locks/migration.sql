ALTER TABLE "account_roles" ADD COLUMN "locked_at" TIMESTAMPTZ(3);
