-- Several events say that an order is cancelled: analytics counts it with the first one.
CREATE TABLE "cancelled_orders" (
    "order_id" UUID NOT NULL,

    CONSTRAINT "cancelled_orders_pkey" PRIMARY KEY ("order_id")
);

-- The previous release has counted these, and their StockReleased may be yet to come.
INSERT INTO "cancelled_orders" ("order_id")
SELECT DISTINCT "order_id" FROM "notifications"
WHERE "kind" = 'OrderCancelled' AND "order_id" IS NOT NULL AND "created_at" > now() - interval '1 day';
