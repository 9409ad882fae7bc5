CREATE TABLE "login_failures" (
    "email_digest" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "blocked_until" TIMESTAMPTZ(6),
    "last_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "login_failures_pkey" PRIMARY KEY ("email_digest")
);

CREATE INDEX "login_failures_last_at_idx" ON "login_failures"("last_at");
