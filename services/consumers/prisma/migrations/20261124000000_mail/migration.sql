ALTER TABLE "notifications" ALTER COLUMN "order_id" DROP NOT NULL;
ALTER TABLE "notifications" ADD COLUMN "data" JSONB;
