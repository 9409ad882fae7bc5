import { createAdapter } from '@store/shared/database';
import { createLog } from '@store/shared/log';
import { createApp } from '../src/app.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createProductStore } from '../src/product-store.ts';

export const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

/** The real application over a database of the test's own. */
export function testApp(databaseUrl: string, options: { writers?: string[]; production?: boolean } = {}) {
  const prisma = new PrismaClient({ adapter: createAdapter(databaseUrl) });
  const app = createApp({
    store: createProductStore(prisma),
    writers: options.writers ?? [],
    log: createLog('product', 'silent'),
    production: options.production ?? false,
  });
  return { app, prisma, close: () => prisma.$disconnect() };
}
