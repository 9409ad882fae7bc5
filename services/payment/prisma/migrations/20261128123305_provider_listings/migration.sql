-- How far what has happened at a provider was listed. `turn_until`: until then one replica lists it, or nobody need.
CREATE TABLE "provider_listings" (
    "provider" TEXT NOT NULL,
    "cursor" TEXT,
    "turn_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_listings_pkey" PRIMARY KEY ("provider")
);
