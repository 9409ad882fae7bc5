CREATE TABLE "credit_notes" (
    "number" BIGINT NOT NULL,
    "refund_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "invoice_number" BIGINT NOT NULL,
    "amount" DECIMAL(28,4) NOT NULL CHECK ("amount" > 0),
    "currency" TEXT NOT NULL,
    "taxes" JSONB,
    "refunded_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credit_notes_pkey" PRIMARY KEY ("number")
);

CREATE UNIQUE INDEX "credit_notes_refund_id_key" ON "credit_notes"("refund_id");
CREATE INDEX "credit_notes_order_id_number_idx" ON "credit_notes"("order_id", "number");

CREATE TABLE "credit_note_counter" (
    "id" INTEGER NOT NULL CHECK ("id" = 1),
    "last_number" BIGINT NOT NULL,
    "looked_until" TIMESTAMPTZ(6),

    CONSTRAINT "credit_note_counter_pkey" PRIMARY KEY ("id")
);

INSERT INTO "credit_note_counter" ("id", "last_number") VALUES (1, 0);
