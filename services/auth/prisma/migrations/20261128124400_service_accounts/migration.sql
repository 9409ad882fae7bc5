-- Accounts of machines. They have no password; their roles and pauses are in account_roles.
CREATE TABLE "service_accounts" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[] NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "service_accounts_pkey" PRIMARY KEY ("id")
);
