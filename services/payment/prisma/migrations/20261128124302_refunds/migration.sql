-- Refunds of a payment, one row for each step of the lane refund, and those made at the provider. Amounts are in minor units.
CREATE TABLE "refunds" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "source" TEXT NOT NULL CHECK ("source" IN ('operator', 'cancellation', 'provider')),
    "state" TEXT NOT NULL CHECK ("state" IN ('PENDING', 'SUCCEEDED', 'FAILED')),
    "amount" NUMERIC(28,0) NOT NULL CHECK ("amount" > 0),
    "currency" TEXT NOT NULL,
    "lines" JSONB,
    "operator_reason" TEXT,
    "actor" TEXT,
    "idempotency_key" TEXT,
    "request_hash" TEXT,
    "failure" TEXT,
    "provider_ref" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "refunds_operator_check" CHECK (("source" = 'operator') = ("actor" IS NOT NULL)),
    CONSTRAINT "refunds_key_check" CHECK (("actor" IS NULL) = ("idempotency_key" IS NULL)
        AND ("actor" IS NULL) = ("request_hash" IS NULL)),
    CONSTRAINT "refunds_failure_check" CHECK (("state" = 'FAILED') = ("failure" IS NOT NULL))
);

-- A key belongs to the account or operator that used it.
CREATE UNIQUE INDEX "refunds_actor_idempotency_key_key" ON "refunds"("actor", "idempotency_key");
CREATE INDEX "refunds_order_id_idx" ON "refunds"("order_id");
CREATE INDEX "refunds_customer_id_idx" ON "refunds"("customer_id");

-- What customers' banks take back, as the provider tells it.
CREATE TABLE "disputes" (
    "id" UUID NOT NULL,
    "provider_ref" TEXT NOT NULL,
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "amount" NUMERIC(28,0) NOT NULL CHECK ("amount" > 0),
    "currency" TEXT NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('OPEN', 'WON', 'LOST')),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "disputes_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "disputes_order_id_idx" ON "disputes"("order_id");
-- The few that wait for a decision are counted again and again.
CREATE INDEX "disputes_open_idx" ON "disputes"("created_at") WHERE "state" = 'OPEN';
