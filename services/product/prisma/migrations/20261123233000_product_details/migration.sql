-- "images" is json and not jsonb, so that a product is the same text whether it was just written or is read.
ALTER TABLE "products"
    ADD COLUMN IF NOT EXISTS "description" TEXT,
    ADD COLUMN IF NOT EXISTS "images" JSON NOT NULL DEFAULT '[]',
    ADD COLUMN IF NOT EXISTS "category" TEXT;

-- On a large table it is made before the release, CONCURRENTLY (docs/kubernetes.md).
CREATE INDEX IF NOT EXISTS "products_category_created_at_id_idx" ON "products"("category", "created_at", "id");
