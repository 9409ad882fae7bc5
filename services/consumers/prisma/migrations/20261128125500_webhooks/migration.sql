-- Where events are sent to.
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "kinds" TEXT[] NOT NULL,
    "ordered" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'ACTIVE' CHECK ("state" IN ('ACTIVE', 'PAUSED', 'GIVEN_UP', 'GONE')),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "resting_until" TIMESTAMPTZ(3),
    "released_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- Two are valid during a rotation.
CREATE TABLE "webhook_secrets" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "key_id" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_secrets_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE
);

-- How many events of an order there were. Kept for ever, because receivers compare the numbers.
CREATE TABLE "webhook_sequences" (
    "order_id" UUID NOT NULL,
    "last" BIGINT NOT NULL,

    CONSTRAINT "webhook_sequences_pkey" PRIMARY KEY ("order_id")
);

-- What can be sent again.
CREATE TABLE "webhook_events" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);

-- The queue, and what became of its deliveries. Without an order: a test.
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "lane" TEXT NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "order_id" UUID,
    "kind" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PENDING' CHECK ("state" IN ('PENDING', 'DELIVERED', 'GIVEN_UP')),
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "tried_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE
);

CREATE INDEX "webhook_secrets_webhook_id_idx" ON "webhook_secrets"("webhook_id");
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events"("created_at");
CREATE INDEX "webhook_deliveries_list_idx" ON "webhook_deliveries"("webhook_id", "created_at", "id");
CREATE INDEX "webhook_deliveries_state_idx" ON "webhook_deliveries"("webhook_id", "state", "created_at", "id");
CREATE INDEX "webhook_deliveries_order_idx" ON "webhook_deliveries"("webhook_id", "order_id", "sequence") WHERE "state" = 'PENDING';
-- What is done leaves the index, so that a look at an empty queue stays free.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries"("lane", "due_at") WHERE "due_at" IS NOT NULL;
