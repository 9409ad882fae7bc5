-- Null: the store's rate.
ALTER TABLE "products" ADD COLUMN "tax_permille" INTEGER;
