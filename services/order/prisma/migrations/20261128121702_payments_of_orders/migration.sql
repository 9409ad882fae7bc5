-- Whether "payment_details" has a row of an order: other orders, and those of the previous release, cost nothing more.
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "has_payment_details" BOOLEAN NOT NULL DEFAULT false;
-- Changes of the payment that no time of the order shows. They count in the version of the order.
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "payment_changes" INTEGER NOT NULL DEFAULT 0;
-- Null for orders from before: if they were paid and cancelled, the whole total was returned. New orders of the previous release get 0.
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "refunded" DECIMAL(28,4);
ALTER TABLE "orders" ALTER COLUMN "refunded" SET DEFAULT 0;
ALTER TABLE "orders" ADD CONSTRAINT "orders_refunded_check" CHECK ("refunded" >= 0 AND "refunded" <= "total_amount") NOT VALID;

-- Triggers, so that replicas of the previous release do the same. The search path is kept for writers who have another.
CREATE FUNCTION "delete_payment_details"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM payment_details WHERE order_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER "orders_delete_payment_details" AFTER UPDATE OF "status" ON "orders"
FOR EACH ROW WHEN (NEW.has_payment_details AND NEW.status <> 'PENDING') EXECUTE FUNCTION "delete_payment_details"();

-- Streams of order events show these changes, too, with the same status.
CREATE TRIGGER "orders_record_payment" AFTER UPDATE OF "payment_changes" ON "orders"
FOR EACH ROW WHEN (OLD.payment_changes <> NEW.payment_changes) EXECUTE FUNCTION "record_order_change"();
