import { cut, storable } from './text.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab🍵', 3, 'ab🍵'],
  ['ab🍵🍵', 3, 'ab🍵'],
  ['🍵🍵🍵🍵', 3, '🍵🍵🍵'],
  ['ab🍵', 2, 'ab'],
  ['', 3, ''],
  ['abc', 0, ''],
])('cuts %j to %i characters: %j', (text, max, expected) => {
  expect(cut(text, max)).toBe(expected);
});

it.each([
  ['a\0b', 'ab'],
  ['\ud83c', '\ufffd'],
  ['a\udf75', 'a\ufffd'],
  ['🍵'.repeat(4), '🍵🍵🍵'],
  ['\0\0ab🍵\0', 'ab🍵'],
])('makes %j storable as %j', (text, expected) => {
  expect(storable(text, 3)).toBe(expected);
});
