-- Comparisons of the provider's list with the books, each of a part of a run; a few a day.
CREATE TABLE "reconciliations" (
    "id" BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    "run" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "result" TEXT NOT NULL,

    CONSTRAINT "reconciliations_pkey" PRIMARY KEY ("id")
);
