-- What the stock lacked for an order that was cancelled for it: [{"productId", "quantity"}].
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "missing" JSONB;
