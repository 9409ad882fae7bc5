CREATE TABLE "dead_letters" (
    "consumer_group" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "event_id" UUID,
    "status" TEXT NOT NULL DEFAULT 'OPEN',
    "failures" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("consumer_group", "id"),
    CONSTRAINT "dead_letters_status_check" CHECK ("status" IN ('OPEN', 'REDRIVEN', 'DISCARDED'))
);

CREATE INDEX "dead_letters_consumer_group_event_id_idx" ON "dead_letters"("consumer_group", "event_id");

CREATE TABLE "dead_letter_audit" (
    "id" BIGSERIAL NOT NULL,
    "consumer_group" TEXT NOT NULL,
    "letter_id" UUID NOT NULL,
    "event_id" UUID,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "requested_by" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dead_letter_audit_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "dead_letter_audit_outcome_check" CHECK ("outcome" IN ('REDRIVEN', 'FAILED', 'DISCARDED'))
);

CREATE INDEX "dead_letter_audit_consumer_group_letter_id_idx" ON "dead_letter_audit"("consumer_group", "letter_id");
