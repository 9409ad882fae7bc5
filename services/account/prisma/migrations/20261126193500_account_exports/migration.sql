CREATE TABLE "account_exports" (
    "account_id" UUID NOT NULL,
    "began_at" TIMESTAMPTZ(3)[] NOT NULL,
    "ends_by" TIMESTAMPTZ(3),

    CONSTRAINT "account_exports_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "account_exports_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE
);
