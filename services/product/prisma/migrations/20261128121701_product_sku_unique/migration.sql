-- Products without a sku do not count. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "products_sku_key";

CREATE UNIQUE INDEX CONCURRENTLY "products_sku_key" ON "products"("sku");
