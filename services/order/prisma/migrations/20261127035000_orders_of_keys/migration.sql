-- The order that was placed with an Idempotency-Key. Until now it was read from the path of the order. This release still writes the
-- path, for replicas of the previous one; the next one writes none, and drops it with these triggers and makes "order_id" NOT NULL.
ALTER TABLE "idempotency_keys" ADD COLUMN "order_id" UUID;

-- For what replicas of the previous release write, who know the path alone.
CREATE FUNCTION "set_order_of_key"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.order_id := nullif(split_part(NEW.location, '/', 3), '')::uuid;
    RETURN NEW;
END $$;

CREATE TRIGGER "idempotency_keys_insert" BEFORE INSERT ON "idempotency_keys"
FOR EACH ROW WHEN (NEW.order_id IS NULL) EXECUTE FUNCTION "set_order_of_key"();

CREATE TRIGGER "idempotency_keys_reuse" BEFORE UPDATE OF "location" ON "idempotency_keys"
FOR EACH ROW WHEN (NEW.location <> OLD.location AND NEW.order_id IS NOT DISTINCT FROM OLD.order_id)
EXECUTE FUNCTION "set_order_of_key"();
