ALTER TABLE "products" ADD COLUMN IF NOT EXISTS "sku" TEXT;

-- NFC, like names and categories, so that a number is found and is unique however it was typed.
CREATE OR REPLACE FUNCTION "normalize_product"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := normalize(NEW.name, NFC);
    NEW.category := normalize(NEW.category, NFC);
    NEW.sku := normalize(NEW.sku, NFC);
    RETURN NEW;
END $$;

DROP TRIGGER "products_normalize" ON "products";
CREATE TRIGGER "products_normalize"
BEFORE INSERT OR UPDATE OF "name", "category", "sku" ON "products"
FOR EACH ROW EXECUTE FUNCTION "normalize_product"();
