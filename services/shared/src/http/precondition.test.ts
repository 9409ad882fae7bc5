import { cpuMicroseconds, longHeader, scanMicroseconds } from '../../../../tests/kit/cpu.ts';
import { seededRandom } from '../../../../tests/kit/random.ts';
import { matchesTag, matchesWeakly } from './precondition.ts';

const tag = '"one"';

it.each([
  ['"one"', true, true],
  ['"zero", "one"', true, true],
  ['"zero" ,\t"one" , "two"', true, true],
  ['*', true, true],
  ['"zero", *', true, true],
  ['W/"one"', false, true],
  ['"zero",W/"one"', false, true],
  ['', false, false],
  ['one', false, false],
  ['"on', false, false],
  ['"zero" "one"', false, false],
  ['x"one"', false, false],
  ['"one"x', false, false],
  ['W/ "one"', false, false],
  ['"*"', false, false],
  ['x*', false, false],
])('matches in %j: strongly %s, weakly %s', (list, strongly, weakly) => {
  expect([matchesTag(list, tag), matchesWeakly(list, tag)]).toEqual([strongly, weakly]);
});

it('matches the same tags as splitting the list, in any combination of parts', () => {
  const parts = [tag, 'W/', ',', ' ', '\t', '*', '"', 'x', '"two"'];
  const random = seededRandom(1);
  for (let n = 0; n < 20_000; n += 1) {
    const length = 1 + (n % 7);
    const list = Array.from({ length }, () => parts[random(parts.length)]).join('');
    const has = (...tags: string[]) => list.split(',').some((one) => tags.includes(one.trim()));
    const expected = [has('*', tag), has('*', tag, `W/${tag}`)];
    expect([list, matchesTag(list, tag), matchesWeakly(list, tag)]).toEqual([list, ...expected]);
  }
});

// Splitting costs 60 scans.
const long = `"${'x'.repeat(43)}"`;
it.each([',', ' ', ', ', 'a,', '*', '* ', '*x,', long, `${long} `, `x${long},`, `,${long} x`, 'W/,'])(
  'costs at most 15 scans for a long list of %j',
  (text) => {
    const list = longHeader(text);
    for (const hostile of [list, `x${list}${long}x`])
      expect(cpuMicroseconds(() => matchesWeakly(hostile, long))).toBeLessThan(15 * scanMicroseconds(hostile));
  },
);
