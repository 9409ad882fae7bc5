import { maxCounted } from '@store/shared/database/read-page';
import { givenTime, queryTime, text, timestamp, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import { int4, once } from './int4.ts';

/** As in contract 4.8, whose names are in snake_case. */
export const statusOut = z
  .object({
    station_id: z.int32(),
    bikes_available: z.int32().nullable(),
    docks_available: z.int32().nullable(),
    time: timestamp,
    category1: z.string().nullable(),
    category2: z.string().nullable(),
  })
  .meta({
    id: 'StationStatus',
    examples: [
      {
        station_id: 42,
        bikes_available: 7,
        docks_available: null,
        time: '2026-01-31T09:30:00.000000Z',
        category1: 'center',
        category2: null,
      },
    ],
  });

export const statusQuery = z.object({
  limit: wholeNumber(1, 1000).default(100),
  cursor: queryTime
    .optional()
    .meta({ type: 'string', format: 'date-time', description: 'Only records whose time is later.' }),
  station_id: int4.optional().describe('Only records of this station.'),
  after: z
    .string(once)
    .min(1, 'must not be empty')
    .max(2_000)
    .optional()
    .describe(
      'The end of a page, from its Link header: unlike cursor, it skips no records of equal times. Replaces cursor.',
    ),
  skip: wholeNumber(0, maxCounted).optional().meta({
    deprecated: true,
    description: 'Records to skip; the cost grows with the value. Use after or cursor.',
  }),
});

const orNull = <T extends z.ZodType<unknown, string>>(schema: T) =>
  z
    .string()
    .default('')
    .transform((value) => (value === '' ? null : value))
    .pipe(schema.nullable());

const category = orNull(text(1, 1000).refine((value) => !value.includes('\ufffd'), 'is not UTF-8 text'));

/** A line of an import; the keys are the columns. Empty or missing fields are null. */
export const csvRow = z.object({
  station_id: int4,
  bikes_available: orNull(int4),
  docks_available: orNull(int4),
  time: givenTime,
  category1: category,
  category2: category,
});

export type StatusQuery = z.output<typeof statusQuery>;
export type CsvRow = z.output<typeof csvRow>;
