import { onceEach, timesOf } from '../pages/parts/ticks.ts';

const at = (time: string) => Date.parse(`2026-05-04T${time}Z`) / 1_000;

it.each([
  [
    ['11:55:00', '12:00:00'],
    ['11:55', '12:00'],
  ],
  [
    ['11:59:45', '12:00:00', '12:00:15'],
    ['11:59:45', '12:00:00', '12:00:15'],
  ],
])('the times of an axis differ: %j', (times, labels) => {
  expect(timesOf(times.map(at))).toEqual(labels);
});

it('keeps only the first of equal labels on an axis', () => {
  expect(onceEach(['0 ms', '1 ms', '1 ms', '2 ms'])).toEqual(['0 ms', '1 ms', '', '2 ms']);
});
