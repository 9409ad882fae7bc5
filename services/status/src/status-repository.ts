import { behind, orderBy } from '@store/shared/http/pagination';
import type { PrismaClient } from './generated/client.ts';

/** The place of a record in the order of all answers, as texts: nothing is lost on the way. */
export type Position = [time: string, stationId: string, row: string];

export interface Selection {
  limit: number;
  stationId?: number | undefined;
  /** Records behind this place. */
  position?: Position | undefined;
  /** Records of a later time. */
  laterThan?: string | undefined;
  skip?: number | undefined;
}

export interface StatusPage {
  /** An array of StationStatus, as JSON. */
  json: string;
  /** The place of the last record, while there are more behind it. */
  last: Position | undefined;
}

export type StatusRepository = ReturnType<typeof createStatusRepository>;

const time = { sql: 'time', type: 'timestamptz', direction: 'asc' } as const;
const station = { sql: 'station_id', type: 'int', direction: 'asc' } as const;
const utc = `to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const row = { sql: 'id', type: 'bigint', direction: 'asc' } as const;

export function createStatusRepository(prisma: Pick<PrismaClient, '$queryRawUnsafe'>) {
  return {
    /** One statement, its rows joined to JSON by the database: fast, and no microsecond is lost in a Date. */
    async page(selection: Selection): Promise<StatusPage> {
      const { sql, values } = pageStatement(selection);
      const [result] = await prisma.$queryRawUnsafe<Record<'json' | 'last', string | null>[]>(sql, ...values);
      return { json: result?.json ?? '[]', last: result?.last == null ? undefined : JSON.parse(result.last) };
    },
  };
}

function pageStatement({ limit, stationId, position, laterThan, skip = 0 }: Selection) {
  const values: unknown[] = [limit];
  const conditions: string[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  // Within a station its index has the order (time, id), and only a comparison of just these is a range of it.
  const key = stationId === undefined ? [time, station, row] : [time, row];
  if (stationId !== undefined) conditions.push(`station_id = ${parameter(stationId)}::int`);
  if (laterThan !== undefined) conditions.push(`time > ${parameter(laterThan)}::timestamptz`);
  if (position !== undefined) {
    conditions.push(behind(key, values.length + 1));
    values.push(...(stationId === undefined ? position : withinStation(position, stationId)));
  }
  const offset = skip > 0 ? `offset ${parameter(skip)}::bigint` : '';
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const by = orderBy(key);
  // One row more than asked for tells whether there is a next page.
  const sql = `
    with page as (select *, row_number() over (order by ${by}) as n
                  from (select * from station_status ${where} order by ${by} limit $1::int + 1 ${offset}) as rows)
    select (select json_agg(item)::text
            from (select station_id, bikes_available, docks_available, ${utc} as time, category1, category2
                  from page where n <= $1::int order by n) as item) as json,
           (select json_build_array(${utc}, station_id::text, id::text)::text
            from page where n = $1::int and exists (select from page where n > $1::int)) as last`;
  return { sql, values };
}

/** Where a place in the order of all records lies among those of one station: its ties may all be before or behind. */
function withinStation([at, stationId, id]: Position, wanted: number): [time: string, row: string] {
  const distance = wanted - Number(stationId);
  if (distance === 0) return [at, id];
  return [at, distance > 0 ? '0' : maxRow];
}

const maxRow = String(2n ** 63n - 1n);
