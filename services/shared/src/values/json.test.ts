import { parseJson, stringifyJson } from './json.ts';
import { Decimal } from './money.ts';

const long = '1234567890.12345678901234567890';

it.each([
  '0.1',
  '-0.0001',
  '9007199254740993',
  '1234567890123456789012345678901234567890',
  '-98765432109876543210.0123456789',
])('keeps every digit of %s', (digits) => {
  expect(stringifyJson(parseJson(`[${digits}]`))).toBe(`[${digits}]`);
});

it.each([
  ['1.00000000000000000000', '1'],
  ['0.10000000000000000000', '0.1'],
  ['1e2', '100'],
  ['1.5e22', '15000000000000000000000'],
  ['12345678901234567890e-10', '1234567890.123456789'],
  ['1e-7', '1e-7'],
])('parses %s to the same number as %s', (given, same) => {
  expect(new Decimal(parseJson(given) as Decimal).equals(same)).toBe(true);
});

it('returns a number if a double is exact, else a Decimal', () => {
  expect(parseJson('[1, 1.5, 1234567890123456]')).toEqual([1, 1.5, 1234567890123456]);
  expect(parseJson('12345678901234567')).toBeInstanceOf(Decimal);
});

// The fuzz test of each service has more cases.
it.each([
  '',
  '{',
  '[1,]',
  "{'a':1}",
  '01',
  '1.',
  '0x1',
  'NaN',
  '1 2',
  '"\n"',
  '"\\x"',
  '// x\n1',
  '\ufeff1',
  '\u00a01',
])('refuses %j, with and without a long number beside it', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
  expect(() => parseJson(`[${long},${text}]`)).toThrow(SyntaxError);
});

it.each([
  ' {"a" : [ 1 , true , null , "\\u00e4\\ud83c\\udf75\\n\\"\\/" ] } ',
  '{"a":1,"a":2}',
  '{"":{}}',
  '"\\ud800"',
  '[[],{}]',
  '-0',
  '1E+2',
])('parses %s the same with and without a long number beside it', (text) => {
  expect(parseJson(`[${long},${text}]`)).toEqual([new Decimal(long), JSON.parse(text)]);
});

it.each(['{"__proto__":{"polluted":1}}', `{"__proto__":{"polluted":1},"n":${long}}`])(
  '%s changes no prototype',
  (text) => {
    const value = parseJson(text) as { polluted?: number };
    expect(value.polluted).toBeUndefined();
    expect(Object.keys(value)).toContain('__proto__');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  },
);

it('throws a RangeError for JSON that is nested too deeply', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(() => parseJson(`[${long},${deep}]`)).toThrow(RangeError);
});

it('writes Decimals as plain numbers without exponents and omits undefined properties', () => {
  const value = { a: new Decimal('1e21'), b: [new Decimal('0.0000001')], c: undefined, d: new Date(0), e: 'ä"' };
  expect(stringifyJson(value)).toBe(
    '{"a":1000000000000000000000,"b":[0.0000001],"d":"1970-01-01T00:00:00.000Z","e":"ä\\""}',
  );
  expect(stringifyJson(undefined)).toBe('null');
});
