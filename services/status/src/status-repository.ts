import type { Lists } from '@store/shared/database/database';
import { decodeCursor, encodeCursor, isoTime, rowsAfter } from '@store/shared/database/keyset';
import { allOf } from '@store/shared/database/read-page';
import { empty, raw, type Sql, sql } from '@store/shared/database/sql';
import { utcTime } from '@store/shared/values/utc-time';
import { int4 } from './int4.ts';
import type { StatusQuery } from './schemas.ts';

/** A record's position in the order of all records, as strings so that no digit is lost. */
type Position = [time: string, stationId: string, row: string];

export type StatusRepository = ReturnType<typeof createStatusRepository>;

/** Columns that order the list. `accepts` rejects a forged cursor before it reaches PostgreSQL. */
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

const isoUtc = raw(isoTime('time', 'US'));

/** A replica that lags further behind is not read. The age of the last replayed transaction is at least the lag. */
const maxAge = raw(`interval '10 seconds'`);
const isRecent = sql`(not pg_is_in_recovery()
  or clock_timestamp() - pg_last_xact_replay_timestamp() < ${maxAge}) is true`;

interface Row {
  json: string;
  last: string | null;
  isRecent: boolean;
}

export function createStatusRepository({ run, readReplica, inTurn }: Lists) {
  return {
    /**
     * Reads a page with one statement. PostgreSQL builds the JSON, which is fast and keeps the microseconds that a Date
     * would lose. `after` is exact and replaces `cursor` and `skip`.
     */
    async page({ limit, station_id: stationId, cursor, after, skip = 0 }: StatusQuery, caller?: string) {
      const position = after === undefined ? undefined : decodeCursor(after, cursorName, [time, station, row]);
      // Within a station the index has the order (time, id), so only a comparison of exactly these is an index range.
      const key = stationId === undefined ? [time, station, row] : [time, row];
      const orderBy = raw(key.map((column) => column.sql).join(', '));

      const conditions: Sql[] = [];
      if (stationId !== undefined) conditions.push(sql`station_id = ${stationId}`);
      if (position !== undefined) {
        const from = stationId === undefined ? position : withinStation(position as Position, stationId);
        conditions.push(rowsAfter(key, from));
      } else if (cursor !== undefined) conditions.push(sql`time > ${cursor}::timestamptz`);
      const offset = position === undefined && skip > 0 ? sql`offset ${skip}::bigint` : empty;
      // One row more than requested shows whether there is a next page. json_agg would put spaces between the records.
      const statement = sql`
        with page as (
          select *, row_number() over (order by ${orderBy}) as n
          from (
            select * from station_status where ${allOf(conditions)} order by ${orderBy} limit ${limit}::int + 1 ${offset}
          ) as rows
        ), item as (
          select station_id, bikes_available, docks_available, ${isoUtc} as time, category1, category2
          from page where n <= ${limit}::int order by n
        )
        select (select '[' || coalesce(string_agg(row_to_json(item)::text, ','), '') || ']' from item) as json,
               (select json_build_array(${isoUtc}, station_id::text, id::text)::text from page
                where n = ${limit}::int and exists (select from page where n > ${limit}::int)) as last,
               ${isRecent} as "isRecent"`;
      const [read] = await inTurn(caller, async () => {
        const copies = await readReplica<Row>(statement, ([copy]) => copy?.isRecent === true);
        return copies ?? (await run<Row>(statement));
      });
      const { json = '[]', last = null } = read ?? {};
      return { json, next: last === null ? undefined : cursorOf(JSON.parse(last)) };
    },
  };
}

/**
 * Converts a position among all records to one within a station. The station's records of the same time either all
 * precede the position or all follow it, unless the position is of that station.
 */
function withinStation([at, stationId, id]: Position, wanted: number): [time: string, row: string] {
  const distance = wanted - Number(stationId);
  if (distance === 0) return [at, id];
  return [at, distance > 0 ? '0' : maxRow];
}
