-- What a person entered about the shipment of an order. Orders that the timer ships have no row.
CREATE TABLE IF NOT EXISTS "shipments" (
  "order_id" UUID NOT NULL PRIMARY KEY REFERENCES "orders"("id") ON DELETE CASCADE,
  "account_id" UUID NOT NULL,
  "carrier" TEXT,
  "tracking_number" TEXT,
  "tracking_url" TEXT
);
CREATE INDEX IF NOT EXISTS "shipments_account_id_idx" ON "shipments"("account_id");
