import { decodeCursor, encodeCursor } from '@store/shared/database/keyset';
import { int4, type StatusQuery } from './schemas.ts';
import type { Position, StatusRepository } from './status-repository.ts';
import { utcTime } from './utc-time.ts';

export type Statuses = ReturnType<typeof createStatuses>;

const cursorName = 'status;time,station,row';

/** Rules for each text of a position: a forged one is refused here, not by PostgreSQL. */
const position = [
  { accepts: { test: (text: string) => utcTime(text) === text } },
  { accepts: { test: (text: string) => int4.safeParse(text).success } },
  { accepts: /^\d{1,18}$/ },
];

export function createStatuses(repository: StatusRepository) {
  return {
    /** `after` is exact and replaces `cursor` and `skip`. */
    async list({ limit, station_id: stationId, cursor, after, skip }: StatusQuery) {
      const start =
        after === undefined
          ? { laterThan: cursor, skip }
          : { position: decodeCursor(after, cursorName, position) as Position };
      const { json, last } = await repository.page({ limit, stationId, ...start });
      return { json, next: last && encodeCursor(cursorName, last) };
    },
  };
}
