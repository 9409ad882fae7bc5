CREATE TABLE "mailbox_mails" (
    "id" UUID NOT NULL,
    "mailbox" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mailbox_mails_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "mailbox_mails_mailbox_kind_at_idx" ON "mailbox_mails"("mailbox", "kind", "at");
CREATE INDEX "mailbox_mails_at_idx" ON "mailbox_mails"("at");

ALTER TABLE "notifications" ADD COLUMN "digest_id" UUID;
