-- Of what is due, by lane. Writes go on meanwhile; an interruption leaves half of an index.
DROP INDEX CONCURRENTLY IF EXISTS "notifications_lane_due_idx";

CREATE INDEX CONCURRENTLY "notifications_lane_due_idx" ON "notifications" ("lane", "send_at") WHERE "send_at" IS NOT NULL;
