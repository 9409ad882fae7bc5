CREATE TABLE "product_imports" (
    "id" UUID NOT NULL,
    "actor" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'RECEIVING',
    "lines" INTEGER NOT NULL DEFAULT 0,
    "lines_read" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "replaced" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "errors" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "touched_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "product_imports_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "product_imports_state_check" CHECK ("state" IN ('RECEIVING', 'RUNNING', 'DONE', 'INTERRUPTED'))
);

-- An actor has one open import.
CREATE UNIQUE INDEX "product_imports_open_key" ON "product_imports"("actor") WHERE "state" IN ('RECEIVING', 'RUNNING');
-- Those that are open, by whose turn it is.
CREATE INDEX "product_imports_turn_idx" ON "product_imports"("state", "touched_at") WHERE "state" IN ('RECEIVING', 'RUNNING');
CREATE INDEX "product_imports_ended_at_idx" ON "product_imports"("ended_at");

-- What was received and is not imported yet.
CREATE TABLE "product_import_parts" (
    "import_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "first_line" INTEGER NOT NULL,
    "lines" BYTEA NOT NULL,

    CONSTRAINT "product_import_parts_pkey" PRIMARY KEY ("import_id", "part"),
    CONSTRAINT "product_import_parts_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "product_imports"("id") ON DELETE CASCADE
);

-- Which skus an open import has had, to know a repeated one. Without a foreign key, which would be checked for each line.
CREATE TABLE "product_import_skus" (
    "import_id" UUID NOT NULL,
    "sku" TEXT NOT NULL,

    CONSTRAINT "product_import_skus_pkey" PRIMARY KEY ("import_id", "sku")
);
