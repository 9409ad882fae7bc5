-- The tax in what a refund returned, so that exactly as much comes back if it fails. No line has it if the order was not shipped.
ALTER TABLE "entries" ADD COLUMN "tax" NUMERIC(28,0) NOT NULL DEFAULT 0;
