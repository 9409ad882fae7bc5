CREATE TABLE "ended_sessions" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "ended_sessions_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "ended_sessions_expires_at_idx" ON "ended_sessions"("expires_at");

CREATE TABLE "session_cutoffs" (
    "account_id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "session_cutoffs_pkey" PRIMARY KEY ("account_id")
);

CREATE INDEX "session_cutoffs_expires_at_idx" ON "session_cutoffs"("expires_at");
