import { type Cursor, decodeCursor } from '@store/shared/http/pagination';
import { int4, type StatusQuery } from './schemas.ts';
import type { Position, StatusRepository } from './status-repository.ts';
import { utcTime } from './utc-time.ts';

export interface Statuses {
  list(query: StatusQuery): Promise<{ json: string; next: Cursor | undefined }>;
}

const order = 'time;station;row';

/** What each part of a place must be: a forged one is refused here, not by the database. */
const parts = [
  { test: (text: string) => utcTime(text) === text },
  { test: (text: string) => int4.safeParse(text).success },
  /^\d{1,18}$/,
];

export function createStatuses({ repository }: { repository: StatusRepository }): Statuses {
  return {
    /** `after` is exact, so it replaces what else says where to begin: `cursor` and `skip`. */
    async list({ limit, station_id: stationId, cursor, after, skip }) {
      const start =
        after === undefined ? { laterThan: cursor, skip } : { position: decodeCursor(after, order, parts) as Position };
      const { json, last } = await repository.page({ limit, stationId, ...start });
      return { json, next: last && { order, values: last } };
    },
  };
}
