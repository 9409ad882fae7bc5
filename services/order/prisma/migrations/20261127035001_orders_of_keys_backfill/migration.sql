-- A migration of its own, after the triggers have been committed: no key is stored without its order any more. Keys are those of a day,
-- and one that is used meanwhile waits for its row alone.
UPDATE "idempotency_keys" SET "order_id" = split_part("location", '/', 3)::uuid WHERE "order_id" IS NULL AND "location" LIKE '/orders/%';
