import type { PrismaClient } from '../src/generated/client.ts';

export interface Made {
  time: string;
  station?: number;
  bikes?: number | null;
  docks?: number | null;
  category1?: string | null;
  category2?: string | null;
}

/** Stores records in the order given: their rows are numbered so. */
export async function add(prisma: PrismaClient, ...records: Made[]): Promise<void> {
  for (const { time, station = 1, bikes = null, docks = null, category1 = null, category2 = null } of records) {
    await prisma.$executeRaw`
      insert into station_status (station_id, bikes_available, docks_available, time, category1, category2)
      values (${station}, ${bikes}, ${docks}, ${time}::text::timestamptz, ${category1}, ${category2})`;
  }
}

export const clear = (prisma: PrismaClient) => prisma.$executeRaw`truncate station_status`;
