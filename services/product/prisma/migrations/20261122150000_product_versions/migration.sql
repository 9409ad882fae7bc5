ALTER TABLE "products" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;

-- The count is the database's, so that no writer can forget it: neither SQL by hand nor a replica of the release before.
-- Where the table is a copy of another database (session_replication_role), versions are those that arrive.
CREATE FUNCTION "count_product_version"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER "products_count_version"
BEFORE UPDATE ON "products"
FOR EACH ROW EXECUTE FUNCTION "count_product_version"();
