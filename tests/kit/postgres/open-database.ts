import { type Database, openDatabase } from '@store/shared/database/database';
import { PrismaClient } from '../../../services/payment/src/generated/client.ts';

/** Opens a database of any service, for tests that use no model. */
export const openAnyDatabase = (url: string, poolSize?: number, replicaUrl?: string): Database<PrismaClient> =>
  openDatabase(PrismaClient, url, poolSize, replicaUrl);
