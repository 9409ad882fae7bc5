CREATE TABLE "products" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "price" DECIMAL(16,4) NOT NULL,
    "unit" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "products_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "products_created_at_id_idx" ON "products"("created_at", "id");
CREATE INDEX "products_name_id_idx" ON "products"("name", "id");
CREATE INDEX "products_price_id_idx" ON "products"("price", "id");
