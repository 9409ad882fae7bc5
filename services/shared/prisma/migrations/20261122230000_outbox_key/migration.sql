-- The events of one order, for those who look after it. A hash of the key: a text of 36 characters would cost each event more.
-- On a large table it is made before the release, CONCURRENTLY (docs/kubernetes.md).
CREATE INDEX IF NOT EXISTS "outbox_key_idx" ON "outbox" USING hash ("key");
