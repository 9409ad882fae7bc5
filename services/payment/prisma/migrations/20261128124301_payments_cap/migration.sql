-- What may be refunded, in minor units: what was captured, less what was refunded, is being refunded, or is disputed. `captured`
-- follows from the columns that the previous release writes, and is computed when it is read, so that the table is not rewritten. Digits
-- are those of services/shared/src/values/currencies.ts. Constraints are checked for every change; rows that are there obey them, because
-- nothing is reserved.
ALTER TABLE "payments"
    ADD COLUMN "captured" NUMERIC(28,0) GENERATED ALWAYS AS (
        CASE WHEN "status" IN ('PAID', 'REFUNDED') THEN trunc("amount" * CASE
            WHEN "currency" IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV',
                'XAF', 'XOF', 'XPF') THEN 1
            WHEN "currency" IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 1000
            WHEN "currency" IN ('CLF', 'UYW') THEN 10000
            ELSE 100 END)
        ELSE 0 END) VIRTUAL,
    ADD COLUMN "refund_reserved" NUMERIC(28,0) NOT NULL DEFAULT 0,
    ADD COLUMN "disputed" NUMERIC(28,0) NOT NULL DEFAULT 0,
    -- What the refund of the cancelled order returned, once it is REFUNDED.
    ADD COLUMN "remainder" NUMERIC(28,0),
    ADD CONSTRAINT "payments_cap_check" CHECK (
        "refund_reserved" >= 0 AND "disputed" >= 0 AND "refund_reserved" + "disputed" <= "captured"
    ) NOT VALID,
    -- The previous release takes every refund for that of the whole payment. It does not write `remainder`, so it cannot store that.
    ADD CONSTRAINT "payments_remainder_check" CHECK (
        "status" <> 'REFUNDED' OR "refund_reserved" = 0 OR "remainder" IS NOT NULL
    ) NOT VALID;
