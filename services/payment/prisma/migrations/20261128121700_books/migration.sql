-- The books: double entry. What is booked is never changed; a correction is an entry of its own.
CREATE TABLE "entries" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN
        ('charge', 'shipment', 'refund', 'refund-failed', 'dispute', 'dispute-won', 'dispute-lost')),
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "entries_pkey" PRIMARY KEY ("id")
);

-- In minor units: a debit is positive, a credit negative. No foreign key to entries: its check locks the row of the entry, for which
-- the role would need UPDATE. The trigger entry_lines_booked checks more.
CREATE TABLE "entry_lines" (
    "entry" UUID NOT NULL,
    "account" TEXT NOT NULL CHECK ("account" IN ('provider', 'unearned', 'revenue', 'tax', 'refunds', 'disputes')),
    "currency" TEXT NOT NULL,
    "amount" NUMERIC(28,0) NOT NULL CHECK ("amount" <> 0),

    CONSTRAINT "entry_lines_pkey" PRIMARY KEY ("entry", "account", "currency")
);

CREATE INDEX "entries_order_id_idx" ON "entries"("order_id");
-- Entries are written nearly in the order of their times, and read by them only to reconcile.
CREATE INDEX "entries_at_idx" ON "entries" USING brin ("at") WITH (autosummarize = on);

-- Orders that are paid and not shipped, with what of the account unearned is theirs, and the tax in it. Shipping deletes the row, so
-- whoever changes it knows whether the order is shipped, and both wait for each other.
CREATE TABLE "unearned" (
    "order_id" UUID NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" NUMERIC(28,0) NOT NULL CHECK ("amount" >= 0),
    "tax" NUMERIC(28,0) NOT NULL CHECK ("tax" BETWEEN 0 AND "amount"),
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unearned_pkey" PRIMARY KEY ("order_id")
);

-- The sums of all lines. What changes them is only appended, so that no payment waits for another; payment adds it up. Both together
-- are exact in any snapshot.
CREATE TABLE "balances" (
    "account" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" NUMERIC(38,0) NOT NULL,

    CONSTRAINT "balances_pkey" PRIMARY KEY ("account", "currency")
);

CREATE TABLE "balance_changes" (
    "account" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" NUMERIC(38,0) NOT NULL
);

-- Once per statement. A line belongs to an entry of the same transaction, so a committed entry never gets another line. The search
-- path is kept for writers who have another. Plans are kept by connections: one that was made while the tables were small would read
-- them from end to end for ever.
CREATE FUNCTION "add_lines_to_balances"() RETURNS TRIGGER LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM new_lines
        WHERE NOT EXISTS (SELECT FROM entries WHERE id = new_lines.entry AND xmin = pg_current_xact_id()::xid)
    ) THEN
        RAISE EXCEPTION 'A line needs an entry of its own transaction' USING ERRCODE = 'foreign_key_violation';
    END IF;
    INSERT INTO balance_changes (account, currency, amount)
    SELECT account, currency, sum(amount) FROM new_lines GROUP BY account, currency;
    RETURN NULL;
END $$;

CREATE TRIGGER "entry_lines_booked" AFTER INSERT ON "entry_lines" REFERENCING NEW TABLE AS new_lines
FOR EACH STATEMENT EXECUTE FUNCTION "add_lines_to_balances"();

-- Once per entry, at the commit.
CREATE FUNCTION "check_entry_is_balanced"() RETURNS TRIGGER LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (SELECT FROM entry_lines WHERE entry = NEW.id GROUP BY currency HAVING sum(amount) <> 0) THEN
        RAISE EXCEPTION 'The lines of entry % do not sum to zero', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER "entries_are_balanced" AFTER INSERT ON "entries" DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION "check_entry_is_balanced"();

CREATE FUNCTION "refuse_to_change_books"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: books are only appended to', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "entries_stay" BEFORE UPDATE OR DELETE OR TRUNCATE ON "entries"
FOR EACH STATEMENT EXECUTE FUNCTION "refuse_to_change_books"();
CREATE TRIGGER "entry_lines_stay" BEFORE UPDATE OR DELETE OR TRUNCATE ON "entry_lines"
FOR EACH STATEMENT EXECUTE FUNCTION "refuse_to_change_books"();

-- The role of the service owns the tables; what it revokes from itself it would have to grant itself again. A superuser stops at the
-- triggers.
REVOKE UPDATE, DELETE, TRUNCATE ON "entries", "entry_lines" FROM CURRENT_USER;

-- The status of the payment that the books have. Replicas of the previous release set only the status.
ALTER TABLE "payments" ADD COLUMN "booked" TEXT;
