-- How many orders each account is shown, and how many of them are CANCELLED. What changes it is only appended, in the transaction of
-- the change, so that no order waits for another one of its account; the order worker adds it up. Both together are exact in
-- any snapshot.
CREATE TABLE "order_counts" (
    "account_id" UUID NOT NULL,
    "orders" BIGINT NOT NULL,
    "cancelled" BIGINT NOT NULL,

    CONSTRAINT "order_counts_pkey" PRIMARY KEY ("account_id")
);

CREATE TABLE "order_count_changes" (
    "account_id" UUID NOT NULL,
    "orders" BIGINT NOT NULL,
    "cancelled" BIGINT NOT NULL
);

CREATE INDEX "order_count_changes_account_id_idx" ON "order_count_changes"("account_id");

-- Triggers, so that replicas of the previous release count, too. The search path is kept for writers who have another.
CREATE FUNCTION "count_order"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NULL THEN
        INSERT INTO order_count_changes (account_id, orders, cancelled)
        VALUES (OLD.account_id, -1, -(OLD.status = 'CANCELLED')::int);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.deleted_at IS NULL THEN
        INSERT INTO order_count_changes (account_id, orders, cancelled)
        VALUES (NEW.account_id, 1, (NEW.status = 'CANCELLED')::int);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION "count_no_orders"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    TRUNCATE order_counts, order_count_changes;
    RETURN NULL;
END $$;

CREATE TRIGGER "orders_count" AFTER INSERT OR DELETE ON "orders"
FOR EACH ROW EXECUTE FUNCTION "count_order"();

-- Not when an order is confirmed or shipped, which happens to each: what is PENDING is counted by an index.
CREATE TRIGGER "orders_count_change" AFTER UPDATE OF "status", "deleted_at" ON "orders" FOR EACH ROW
WHEN ((OLD.status = 'CANCELLED') <> (NEW.status = 'CANCELLED') OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
EXECUTE FUNCTION "count_order"();

CREATE TRIGGER "orders_count_none" AFTER TRUNCATE ON "orders" EXECUTE FUNCTION "count_no_orders"();
