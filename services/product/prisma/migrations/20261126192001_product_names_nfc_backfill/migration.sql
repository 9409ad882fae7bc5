UPDATE "products" SET "name" = "name" WHERE "name" IS NOT NFC NORMALIZED OR "category" IS NOT NFC NORMALIZED;
