import { openDatabase } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createStatusService } from '../src/service.ts';

export const path = '/api/v1/status/';

interface Made {
  time: string;
  station?: number;
  bikes?: number | null;
  docks?: number | null;
  category1?: string | null;
  category2?: string | null;
}

/** The real service on the given database. */
export function testApp(databaseUrl: string, env: Record<string, string> = {}, log = testLog('status')) {
  const database = openDatabase(PrismaClient, databaseUrl);
  const { prisma, run } = database;
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, APP_PROFILE: 'dev', ...env });
  const { app } = createStatusService({ config, log, database });
  return {
    app,
    prisma,
    run,
    close: database.close,
    get: (query = '') => request(app).get(`${path}${query}`),
    /** Stores records. Their rows are numbered in the given order. */
    async add(...records: Made[]): Promise<void> {
      for (const { time, station = 1, bikes = null, docks = null, category1 = null, category2 = null } of records) {
        await run(sql`
          insert into station_status (station_id, bikes_available, docks_available, time, category1, category2)
          values (${station}, ${bikes}, ${docks}, ${time}::timestamptz, ${category1}, ${category2})`);
      }
    },
    clear: () => run(sql`truncate station_status`),
  };
}
