ALTER TABLE "mail_requests" ADD COLUMN "due_at" TIMESTAMPTZ(3);
CREATE INDEX "mail_requests_due_at_idx" ON "mail_requests"("due_at") WHERE "due_at" IS NOT NULL;

-- Wider than the one before, so that what is there obeys it.
ALTER TABLE "mail_requests" DROP CONSTRAINT "mail_requests_purpose_check";
ALTER TABLE "mail_requests" ADD CONSTRAINT "mail_requests_purpose_check"
    CHECK ("purpose" IN ('PASSWORD', 'EMAIL', 'CANCEL')) NOT VALID;
