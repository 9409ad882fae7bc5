-- False for accounts of release 0.1, which were never asked: they go on having mails.
ALTER TABLE "accounts" ADD COLUMN "asked_to_confirm" BOOLEAN NOT NULL DEFAULT false;
