-- For searches by the beginning of a sku in any letter case.
DROP INDEX CONCURRENTLY IF EXISTS "products_sku_prefix_idx";

CREATE INDEX CONCURRENTLY "products_sku_prefix_idx" ON "products"(lower("sku") text_pattern_ops);
