CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "send_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "daily_figures" (
    "day" DATE NOT NULL,
    "orders" BIGINT NOT NULL DEFAULT 0,
    "paid" BIGINT NOT NULL DEFAULT 0,
    "cancelled" BIGINT NOT NULL DEFAULT 0,
    "refunded" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "daily_figures_pkey" PRIMARY KEY ("day")
);

CREATE TABLE "daily_amounts" (
    "day" DATE NOT NULL,
    "currency" TEXT NOT NULL,
    "revenue" DECIMAL NOT NULL DEFAULT 0,
    "refunds" DECIMAL NOT NULL DEFAULT 0,

    CONSTRAINT "daily_amounts_pkey" PRIMARY KEY ("day", "currency")
);

CREATE TABLE "invoices" (
    "number" BIGINT NOT NULL,
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "payment_id" UUID NOT NULL,
    "amount" DECIMAL(28,4) NOT NULL,
    "currency" TEXT NOT NULL,
    "paid_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invoices_pkey" PRIMARY KEY ("number")
);

CREATE TABLE "invoice_counter" (
    "id" INTEGER NOT NULL CHECK ("id" = 1),
    "last_number" BIGINT NOT NULL,

    CONSTRAINT "invoice_counter_pkey" PRIMARY KEY ("id")
);

INSERT INTO "invoice_counter" ("id", "last_number") VALUES (1, 0);

CREATE TABLE "processed_events" (
    "consumer_group" TEXT NOT NULL,
    "event_id" UUID NOT NULL,
    "processed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "processed_events_pkey" PRIMARY KEY ("consumer_group", "event_id")
);

CREATE INDEX "notifications_created_at_id_idx" ON "notifications"("created_at", "id");
CREATE INDEX "notifications_order_id_created_at_id_idx" ON "notifications"("order_id", "created_at", "id");
CREATE INDEX "notifications_customer_id_created_at_id_idx" ON "notifications"("customer_id", "created_at", "id");
-- What is sent leaves the index, so that the sender's look at nothing due stays free.
CREATE INDEX "notifications_due_idx" ON "notifications"("send_at") WHERE "send_at" IS NOT NULL;
CREATE UNIQUE INDEX "invoices_order_id_key" ON "invoices"("order_id");
CREATE INDEX "processed_events_processed_at_idx" ON "processed_events"("processed_at");
