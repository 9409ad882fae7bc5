-- Null on invoices of the previous release, which still writes some while this one starts.
ALTER TABLE "invoices" ADD COLUMN "taxes" JSONB;
