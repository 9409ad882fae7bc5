import { type Database, openDatabase } from '@store/shared/database/database';
import { PrismaClient } from '../../../services/payment/src/generated/client.ts';

/** Opens the database of any service, for tests that use no Prisma model. */
export const openAnyDatabase = (url: string, poolSize?: number, replicaUrl?: string): Database<PrismaClient> =>
  openDatabase(PrismaClient, url, poolSize, replicaUrl);
