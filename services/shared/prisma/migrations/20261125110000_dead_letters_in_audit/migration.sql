-- Decisions about dead letters are in the audit trail alone. Meanwhile replicas of the previous release write them to their own
-- table, which the next release drops, with this function.
CREATE FUNCTION "audit_dead_letter"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "audit" ("at", "actor", "kind", "subject", "before", "after") VALUES (
        NEW."at",
        'operator ' || NEW."requested_by",
        'dead letter',
        NEW."letter_id",
        jsonb_build_object('group', NEW."consumer_group", 'status', 'OPEN'),
        jsonb_strip_nulls(jsonb_build_object(
            'group', NEW."consumer_group",
            'status', CASE NEW."outcome" WHEN 'FAILED' THEN 'OPEN' ELSE NEW."outcome" END,
            'outcome', NEW."outcome",
            'reason', NEW."reason"
        ))
    );
    RETURN NULL;
END
$$;

CREATE TRIGGER "audit_dead_letter" AFTER INSERT ON "dead_letter_audit" FOR EACH ROW EXECUTE FUNCTION "audit_dead_letter"();

-- Those until now take the same way.
WITH "former" AS (DELETE FROM "dead_letter_audit" RETURNING *)
INSERT INTO "dead_letter_audit" SELECT * FROM "former" ORDER BY "id";
