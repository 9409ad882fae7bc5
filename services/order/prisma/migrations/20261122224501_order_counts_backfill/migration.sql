-- A migration of its own, after the triggers have been committed: in one snapshot, what there is less what they have counted.
-- So orders are placed and changed meanwhile.
INSERT INTO "order_count_changes" ("account_id", "orders", "cancelled")
SELECT "account_id", sum("orders"), sum("cancelled")
FROM (
    SELECT "account_id", count(*) AS "orders", count(*) FILTER (WHERE "status" = 'CANCELLED') AS "cancelled"
    FROM "orders" WHERE "deleted_at" IS NULL GROUP BY "account_id"
    UNION ALL
    SELECT "account_id", -"orders", -"cancelled" FROM "order_count_changes"
    UNION ALL
    SELECT "account_id", -"orders", -"cancelled" FROM "order_counts"
) AS "missing"
GROUP BY "account_id"
HAVING sum("orders") <> 0 OR sum("cancelled") <> 0;
