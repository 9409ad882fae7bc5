-- For the export of an account.
CREATE INDEX IF NOT EXISTS "invoices_customer_id_number_idx" ON "invoices"("customer_id", "number");
