import { z } from 'zod';
import { type Place, sentenceOf } from './sentences.ts';

const sentencesOf = (place: Place, schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: sentenceOf(place) }).error?.issues.map(({ message }) => message);

it.each<[Place, z.ZodType, unknown, string]>([
  ['body', z.string(), undefined, 'is required'],
  ['body', z.string(), 1, 'must be text'],
  ['body', z.string(), ['a'], 'must be text'],
  ['query', z.string(), ['a', 'b'], 'must be given once'],
  ['body', z.int(), 1.5, 'must be a whole number'],
  ['body', z.int(), '1', 'must be a number'],
  ['body', z.object({}), [], 'must be an object'],
  ['body', z.array(z.string()), {}, 'must be a list'],
  ['body', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  ['body', z.int().min(1), 0, 'must be at least 1'],
  ['body', z.number().positive(), 0, 'must be more than 0'],
  ['body', z.string().min(1), '', 'must not be empty'],
  ['body', z.string().max(2), 'abc', 'must have at most 2 characters'],
  ['query', z.enum(['A', 'B']), 'C', 'must be one of A, B'],
  ['body', z.literal('A'), 'C', 'must be A'],
  ['body', z.iso.datetime({ offset: true }), 'x', 'must be an ISO 8601 time with a zone'],
  ['body', z.iso.date(), 'x', 'must be an ISO 8601 date'],
  ['environment', z.url(), 'x', 'must be a URL'],
  ['body', z.strictObject({}), { a: 1, b: 2 }, 'must not have a, b'],
  ['body', z.int().multipleOf(2), 1, 'is not valid'],
  ['query', z.string('must be short'), 1, 'must be short'],
  ['query', z.union([z.string().max(1), z.array(z.string())]), 'ab', 'must have at most 1 character'],
  ['query', z.union([z.string(), z.array(z.string().max(1))]), ['ab'], 'must have at most 1 character'],
  ['body', z.union([z.string(), z.array(z.string())]), 1, 'must be text'],
])('case %#, in a %s, is refused with its sentence', (place, schema, value, sentence) => {
  expect(sentencesOf(place, schema, value)).toEqual([sentence]);
});
