-- What is searched is in NFC, so that it is found however it was typed. The database sees to it, so that no writer can forget it:
-- neither SQL by hand nor a replica of the release before.
CREATE FUNCTION "normalize_product"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := normalize(NEW.name, NFC);
    NEW.category := normalize(NEW.category, NFC);
    RETURN NEW;
END $$;

CREATE TRIGGER "products_normalize"
BEFORE INSERT OR UPDATE OF "name", "category" ON "products"
FOR EACH ROW EXECUTE FUNCTION "normalize_product"();
