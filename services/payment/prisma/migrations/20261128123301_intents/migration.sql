-- Where an order was charged: null is the built-in provider, which needs no state. `action_url`: where its customer has to go first.
ALTER TABLE "payments"
    ADD COLUMN "provider" TEXT,
    ADD COLUMN "intent_id" TEXT,
    ADD COLUMN "action_url" TEXT;
