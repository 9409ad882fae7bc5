import { isoTime, rowsAfter } from '@store/shared/database/keyset';
import type { ReadReplica } from '@store/shared/database/replica';
import { type Kysely, sql } from 'kysely';
import type { DB } from './generated/tables.ts';

/** A record's position in the order of all records, as texts so that no digit is lost. */
export type Position = [time: string, stationId: string, row: string];

export interface Selection {
  limit: number;
  stationId?: number | undefined;
  /** Only records after this position. */
  position?: Position | undefined;
  /** Only records with a later time. */
  laterThan?: string | undefined;
  skip?: number | undefined;
}

interface StatusPage {
  /** An array of StationStatus, as JSON. */
  json: string;
  /** The position of the last record, while more records follow. */
  last: Position | undefined;
}

export type StatusRepository = ReturnType<typeof createStatusRepository>;

const time = { sql: 'time', type: 'timestamptz', direction: 'asc' } as const;
const station = { sql: 'station_id', type: 'int', direction: 'asc' } as const;
const row = { sql: 'id', type: 'bigint', direction: 'asc' } as const;
const maxRow = String(2n ** 63n - 1n);

const isoUtc = sql<string>`${sql.raw(isoTime('time', 'US'))}`;

/** By which a replica that lags behind is left alone. What it replayed last is at least as old as what the primary has now. */
const maxAge = '10 seconds';
const isRecent = sql<boolean>`(not pg_is_in_recovery()
  or clock_timestamp() - pg_last_xact_replay_timestamp() < ${sql.lit(maxAge)}::interval) is true`;

export function createStatusRepository(kysely: Kysely<DB>, readReplica?: ReadReplica) {
  return {
    /** One statement, whose rows PostgreSQL joins to JSON: fast, and no microsecond is lost in a Date. */
    async page({ limit, stationId, position, laterThan, skip = 0 }: Selection): Promise<StatusPage> {
      // The index of a station has the order (time, id): only a comparison of just these is a range of it.
      const key = stationId === undefined ? [time, station, row] : [time, row];
      const orderBy = sql.raw(key.map((column) => column.sql).join(', '));

      let rows = kysely.selectFrom('station_status').selectAll().orderBy(orderBy).limit(sql<number>`${limit}::int + 1`);
      if (stationId !== undefined) rows = rows.where('station_id', '=', stationId);
      if (laterThan !== undefined) rows = rows.where('time', '>', sql<Date>`${laterThan}::timestamptz`);
      if (position !== undefined) {
        rows = rows.where(rowsAfter(key, stationId === undefined ? position : withinStation(position, stationId)));
      }
      if (skip > 0) rows = rows.offset(sql<number>`${skip}::bigint`);

      // One row more than requested tells whether there is a next page.
      const statement = kysely
        .with('page', (db) =>
          db
            .selectFrom(rows.as('rows'))
            .selectAll()
            .select(sql<number>`row_number() over (order by ${orderBy})`.as('n')),
        )
        .with('item', (db) =>
          db
            .selectFrom('page')
            .select(['station_id', 'bikes_available', 'docks_available', isoUtc.as('time'), 'category1', 'category2'])
            .where('n', '<=', sql<number>`${limit}::int`)
            .orderBy('n'),
        )
        .selectNoFrom((eb) => [
          // json_agg would set blanks between the records.
          eb
            .selectFrom('item')
            .select(sql<string | null>`'[' || string_agg(row_to_json(item)::text, ',') || ']'`.as('json'))
            .as('json'),
          eb
            .selectFrom('page')
            .select(sql<string>`json_build_array(${isoUtc}, station_id::text, id::text)::text`.as('last'))
            .where('n', '=', sql<number>`${limit}::int`)
            .where(sql<boolean>`exists (select from page where n > ${limit}::int)`)
            .as('last'),
          isRecent.as('isRecent'),
        ]);
      const copies = await readReplica?.(statement.compile(), ([copy]) => copy?.isRecent === true);
      const { json, last } = copies?.[0] ?? (await statement.executeTakeFirstOrThrow());
      return { json: json ?? '[]', last: last === null ? undefined : JSON.parse(last) };
    },
  };
}

/** Where a position among all records lies among those of one station: its ties may all precede or all follow. */
function withinStation([at, stationId, id]: Position, wanted: number): [time: string, row: string] {
  const distance = wanted - Number(stationId);
  if (distance === 0) return [at, id];
  return [at, distance > 0 ? '0' : maxRow];
}
