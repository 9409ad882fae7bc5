-- check: the outcome of a charge is read. tell: order is told what the customer must do. Replicas of the previous release cannot carry
-- these out and try again later. `has_token`: order has a token that the order is paid with.
ALTER TABLE "payment_steps"
    ADD COLUMN "has_token" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "key_number" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "key_since" TIMESTAMPTZ(3),
    ADD COLUMN "open_since" TIMESTAMPTZ(3),
    DROP CONSTRAINT "payment_steps_lane_check",
    ADD CONSTRAINT "payment_steps_lane_check" CHECK ("lane" IN ('charge', 'refund', 'check', 'tell')) NOT VALID;
