import { z } from 'zod';

export const once = 'must be given once';
const minimum = -2_147_483_648;
const maximum = 2_147_483_647;

/** The range of PostgreSQL's integer. */
export const int4 = z
  .string(once)
  .regex(/^-?\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .refine((value) => value >= minimum && value <= maximum, `must be ${minimum} to ${maximum}`)
  .meta({ type: 'integer', minimum, maximum });
