-- Null on items that the previous release stores, which knows no tax.
ALTER TABLE "order_items" ADD COLUMN "tax_permille" INTEGER;
