-- The representation of an order changes when personal data is deleted with its account, and when an address to follow for its payment
-- is. The orders are locked in one sequence, without those that the transaction has changed anyway. The search path is kept for writers
-- who have another.
CREATE FUNCTION "touch_orders"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE orders SET changed_xid = pg_current_xact_id()
    FROM (
        SELECT id FROM orders WHERE id IN (SELECT order_id FROM gone) AND changed_xid <> pg_current_xact_id() ORDER BY id FOR UPDATE
    ) AS touched
    WHERE orders.id = touched.id;
    RETURN NULL;
END $$;

CREATE TRIGGER "order_details_touch_orders" AFTER DELETE ON "order_details" REFERENCING OLD TABLE AS "gone"
FOR EACH STATEMENT EXECUTE FUNCTION "touch_orders"();

CREATE TRIGGER "shipments_touch_orders" AFTER DELETE ON "shipments" REFERENCING OLD TABLE AS "gone"
FOR EACH STATEMENT EXECUTE FUNCTION "touch_orders"();

CREATE TRIGGER "payment_details_touch_orders" AFTER DELETE ON "payment_details" REFERENCING OLD TABLE AS "gone"
FOR EACH STATEMENT EXECUTE FUNCTION "touch_orders"();
