-- Orders that are paid with the built-in provider's test card that needs an action.
CREATE TABLE "built_in_actions" (
    "order_id" UUID NOT NULL,
    "state" TEXT NOT NULL CHECK ("state" IN ('WAITING', 'APPROVED', 'DECLINED', 'CANCELLED')),

    CONSTRAINT "built_in_actions_pkey" PRIMARY KEY ("order_id")
);
