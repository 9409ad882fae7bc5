-- Mails about accounts do not wait for those about orders. Rows that the previous release writes are in the lane of orders.
ALTER TABLE "notifications" ADD COLUMN "lane" TEXT NOT NULL DEFAULT 'orders';
