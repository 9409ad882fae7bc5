-- What the provider is to be asked, in place of calls within the consumer's handler.
CREATE TABLE "payment_steps" (
    "id" UUID NOT NULL,
    "lane" TEXT NOT NULL CHECK ("lane" IN ('charge', 'refund')),
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "payment_id" UUID,
    "amount" DECIMAL(28,4) NOT NULL,
    "currency" TEXT NOT NULL,
    "traceparent" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_steps_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payment_steps_payment_id_check" CHECK (("lane" = 'refund') = ("payment_id" IS NOT NULL))
);

CREATE INDEX "payment_steps_order_id_idx" ON "payment_steps"("order_id");
-- What is done leaves the index, so that a look at an empty queue stays free.
CREATE INDEX "payment_steps_due_idx" ON "payment_steps"("lane", "due_at") WHERE "due_at" IS NOT NULL;

ALTER TABLE "payments" ADD COLUMN "cancel_reason" TEXT;
