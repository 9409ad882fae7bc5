-- The id in "OrderShipped". Orders that replicas of the previous release ship have none.
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "shipment_id" UUID;

-- The transaction that changed the order last, for clients that follow the orders of all customers. Orders of earlier releases keep 0
-- until they change, which needs no rewrite of the table: the default of new rows is set afterwards.
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS "changed_xid" XID8 NOT NULL DEFAULT '0';
ALTER TABLE "orders" ALTER COLUMN "changed_xid" SET DEFAULT pg_current_xact_id();

-- A trigger, so that changes by replicas of the previous release count, too.
CREATE FUNCTION "set_changed_xid"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_xid := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE TRIGGER "orders_set_changed_xid" BEFORE UPDATE ON "orders"
FOR EACH ROW EXECUTE FUNCTION "set_changed_xid"();
