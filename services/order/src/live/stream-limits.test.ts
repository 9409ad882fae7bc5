import { createOpenStreams } from './stream-limits.ts';

/** @param holder an account, optionally with its client address: `ada@1` */
function streamOf(holder: string) {
  const [accountId = '', address] = holder.split('@');
  return { session: { accountId }, address };
}

const ten = Array(10).fill('ada').join(' ');

it.each<[string, string, string, { max: number; maxPerAddress?: number }, number | string | undefined]>([
  ['at most ten of an account', ten, 'ada', { max: 100 }, 'too-many-streams'],
  ['others beside ten of an account', ten, 'ben', { max: 100 }, undefined],
  ['the oldest of the largest account makes room', 'ben ada ada ada ben', 'cleo', { max: 5 }, 1],
  ['the oldest makes room for a second stream', 'ben ada ada ada cleo', 'cleo', { max: 5 }, 1],
  ['none makes room for an equally large account', 'ben ada ada ada cleo cleo', 'cleo', { max: 6 }, 'overloaded'],
  ['none makes room for the largest account', 'ben ada ada ada', 'ada', { max: 4 }, 'overloaded'],
  [
    'an address has its limit, whatever its accounts are',
    'a@1 b@1 c@1',
    'd@1',
    { max: 9, maxPerAddress: 3 },
    'too-many-streams',
  ],
  ['others beside a full address', 'a@1 b@1 c@1', 'd@2', { max: 9, maxPerAddress: 3 }, undefined],
  ['accounts of one address count together', 'f@2 a@1 b@1 c@1', 'g@3', { max: 4, maxPerAddress: 3 }, 1],
  ['accounts count alone if addresses have no limit', 'f@2 a@1 b@1 c@1', 'g@3', { max: 4 }, 'overloaded'],
])('%s: %s, then %s', (_, open, next, limits, expected) => {
  const streams = open.split(' ').map(streamOf);
  const held = createOpenStreams<ReturnType<typeof streamOf>>({ maxPerAddress: 0, ...limits });
  for (const stream of streams) held.add(stream);
  const admitted = () => held.add(streamOf(next));
  if (typeof expected === 'string') expect(admitted).toThrow(expect.objectContaining({ code: expected }));
  else expect(admitted()).toBe(expected === undefined ? undefined : streams[expected]);
});

it.each([100, 5_000])('opening and closing a stream beside %i others reads only a few of them', (max) => {
  const open = createOpenStreams<ReturnType<typeof streamOf>>({ max, maxPerAddress: 0 });
  let looks = 0;
  const counted = (accountId: string) => ({
    get session() {
      looks += 1;
      return { accountId };
    },
    address: undefined,
  });
  for (let n = 0; n < max; n += 1) open.add(counted(n < 5 ? 'ada' : `account ${n}`));
  looks = 0;
  for (let n = 0; n < 10; n += 1) {
    const stream = counted('cleo');
    const oldest = open.add(stream);
    if (oldest !== undefined) open.delete(oldest);
    open.delete(stream);
    open.add(counted('ada'));
  }
  expect(looks).toBeLessThan(10 * 20);
  expect(open.all.size).toBe(max);
});
