import type { Database } from '@store/shared/database/database';
import { decodeCursor, encodeCursor, isoTime, rowsAfter } from '@store/shared/database/keyset';
import { sql } from 'kysely';
import type { DB } from './generated/tables.ts';
import { int4 } from './int4.ts';
import type { StatusQuery } from './schemas.ts';
import { utcTime } from './utc-time.ts';

/** A record's position in the order of all records, as texts so that no digit is lost. */
type Position = [time: string, stationId: string, row: string];

export type StatusRepository = ReturnType<typeof createStatusRepository>;

/** Columns of the order. What they accept refuses a forged cursor here, before it reaches PostgreSQL. */
const time = {
  sql: 'time',
  type: 'timestamptz',
  direction: 'asc',
  accepts: { test: (text: string) => utcTime(text) === text },
} as const;
const station = {
  sql: 'station_id',
  type: 'int',
  direction: 'asc',
  accepts: { test: (text: string) => int4.safeParse(text).success },
} as const;
const row = { sql: 'id', type: 'bigint', direction: 'asc', accepts: /^\d{1,18}$/ } as const;
const cursorName = 'status;time,station,row';
export const cursorOf = (position: Position) => encodeCursor(cursorName, position);

const maxRow = String(2n ** 63n - 1n);

const isoUtc = sql<string>`${sql.raw(isoTime('time', 'US'))}`;

/** By which a replica that lags behind is left alone. What it replayed last is at least as old as what the primary has now. */
const maxAge = '10 seconds';
const isRecent = sql<boolean>`(not pg_is_in_recovery()
  or clock_timestamp() - pg_last_xact_replay_timestamp() < ${sql.lit(maxAge)}::interval) is true`;

export function createStatusRepository({ kysely, readReplica }: Database<DB>['lists']) {
  return {
    /**
     * Reads a page by one statement, whose rows PostgreSQL joins to JSON: fast, and no microsecond is lost in a Date. `after` is exact
     * and replaces `cursor` and `skip`.
     */
    async page({ limit, station_id: stationId, cursor, after, skip = 0 }: StatusQuery) {
      const position = after === undefined ? undefined : decodeCursor(after, cursorName, [time, station, row]);
      // The index of a station has the order (time, id): only a comparison of just these is a range of it.
      const key = stationId === undefined ? [time, station, row] : [time, row];
      const orderBy = sql.raw(key.map((column) => column.sql).join(', '));

      let rows = kysely.selectFrom('station_status').selectAll().orderBy(orderBy).limit(sql<number>`${limit}::int + 1`);
      if (stationId !== undefined) rows = rows.where('station_id', '=', stationId);
      if (position !== undefined) {
        const from = stationId === undefined ? position : withinStation(position as Position, stationId);
        rows = rows.where(rowsAfter(key, from));
      } else {
        if (cursor !== undefined) rows = rows.where('time', '>', sql<Date>`${cursor}::timestamptz`);
        if (skip > 0) rows = rows.offset(sql<number>`${skip}::bigint`);
      }

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
      const copies = await readReplica(statement.compile(), ([copy]) => copy?.isRecent === true);
      const { json, last } = copies?.[0] ?? (await statement.executeTakeFirstOrThrow());
      return { json: json ?? '[]', next: last === null ? undefined : cursorOf(JSON.parse(last)) };
    },
  };
}

/** Where a position among all records lies among those of one station: its ties may all precede or all follow. */
function withinStation([at, stationId, id]: Position, wanted: number): [time: string, row: string] {
  const distance = wanted - Number(stationId);
  if (distance === 0) return [at, id];
  return [at, distance > 0 ? '0' : maxRow];
}
