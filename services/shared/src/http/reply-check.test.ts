import { z } from 'zod';
import { createReplyCheck } from './reply-check.ts';
import { noContent, route } from './route.ts';

const replyCheck = () =>
  createReplyCheck(
    route({
      method: 'get',
      path: '/things',
      identity: 'none',
      responses: {
        200: { description: 'A thing.', body: z.object({ id: z.int() }) },
        204: { description: 'None.' },
      },
      handler: () => noContent(),
    }),
  );

const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n += 1) work();
};

it('accepts replies that the route declares', () => {
  const check = replyCheck();
  check(200, '{"id":1}');
  check(204, undefined);
});

it.each([
  ['another status', 201, '{"id":1}', /does not declare status 201/],
  ['another body', 200, '{"id":"1"}', /answers 200 with a body that it does not declare: \{"id":"1"\}/],
  ['no body', 200, undefined, /does not declare/],
  ['a body if none is declared', 204, '{}', /does not declare/],
])('refuses %s', (_name, status, json, message) => {
  expect(() => replyCheck()(status, json)).toThrow(message);
});

it('checks the first 1,000 bodies of a status, then one in 100, and always the status', () => {
  const check = replyCheck();
  times(1_500, () => check(204, undefined));
  times(999, () => check(200, '{"id":1}'));
  expect(() => check(200, '{}')).toThrow(/does not declare: \{\}/);

  let found = 0;
  times(500, () => {
    try {
      check(200, '{}');
    } catch {
      found += 1;
    }
  });
  expect(found).toBe(5);
  expect(() => check(201, '{}')).toThrow(/does not declare status 201/);
});

it('does not check long bodies, which would block the process', () => {
  const check = replyCheck();
  for (const json of [' '.repeat(200_000), Buffer.alloc(200_000), ['[', ']']]) check(200, json);
  expect(() => check(201, ' '.repeat(200_000))).toThrow(/does not declare status 201/);
});
