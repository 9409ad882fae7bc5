CREATE TABLE "audit" (
    "id" BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "actor" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" UUID NOT NULL,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "audit_subject_id_idx" ON "audit"("subject", "id");
CREATE INDEX "audit_at_idx" ON "audit"("at");
