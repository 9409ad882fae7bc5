-- The shipment that was made with an Idempotency-Key; null if an order was placed with it.
ALTER TABLE "idempotency_keys" ADD COLUMN IF NOT EXISTS "shipment_id" UUID;
