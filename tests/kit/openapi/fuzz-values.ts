import { brotliCompressSync, gzipSync } from 'node:zlib';

const levels = 100_000;
const deepArray = '['.repeat(levels) + ']'.repeat(levels);
const deepObject = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const longNumber = '1234567890123456789012345678901234567890';

/** Adds a field to a JSON object. */
const withField = (json: string, field: string) => json.replace('{', json.length > 2 ? `{${field},` : `{${field}`);
const withBytes = (json: string, ...bytes: number[]) => {
  const [before = '', after = ''] = withField(json, '"extra":"@@"').split('@@');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

const brokenMembers = [
  "'extra':1",
  'extra:1',
  '"extra":"\\x41"',
  '"extra":"\u0000"',
  '"extra":"\n"',
  `"extra":[${longNumber},01]`,
  ...'NaN Infinity -Infinity undefined 01 .5 1. +1 0x10 1e --1 True'.split(' ').map((token) => `"extra":${token}`),
];

/** Malformed bodies that contain the valid one, so that a lenient parser would accept them. */
export const malformedBodies = (json: string): Record<string, string | Buffer> => ({
  empty: '',
  'white space': ' \n',
  truncated: json.slice(0, -1),
  'trailing comma': `${json.slice(0, -1)},}`,
  'two documents': json + json,
  'extra bracket': `${json}]`,
  comment: `/**/${json}`,
  ...Object.fromEntries(brokenMembers.map((member) => [`member ${member}`, withField(json, member)])),
  'invalid UTF-8': withBytes(json, 0xff, 0xfe),
  'overlong UTF-8': withBytes(json, 0xc0, 0xaf),
  'surrogate as UTF-8': withBytes(json, 0xed, 0xa0, 0x80),
  'UTF-16': Buffer.from(`\ufeff${json}`, 'utf16le'),
  'empty array': '[]',
  'object in an array': `[${json}]`,
  'object as a string': JSON.stringify(json),
  null: 'null',
  number: '1',
  true: 'true',
  'deeply nested arrays': deepArray,
  'deeply nested objects': deepObject,
  'unclosed nested arrays': '['.repeat(levels),
  'deeply nested arrays beside a long number': `[${longNumber},${deepArray}]`,
  'fields in __proto__': `{"__proto__":${json}}`,
  'fields in __proto__ beside a long number': `{"extra":${longNumber},"__proto__":${json}}`,
  'fields in constructor.prototype': `{"constructor":{"prototype":${json}}}`,
  '2 MiB': withField(json, `"extra":"${'x'.repeat(2 * 1024 * 1024)}"`),
});

/** JSON values of every type. Tests skip the values that a field's schema allows. */
export const typedValues = ['null', 'true', '""', '"text"', '"12"', '1', '-0', '-1', '1.5', '[]', '[null]', '{}'];

/** JSON values that no field of any type accepts. */
export const neverValid = [
  ...['1e400', '-1e400', longNumber, `-${longNumber}`, `0.${longNumber}`],
  ...[`1.${longNumber}e999999999`, `1.${longNumber}e-999999999`],
  ...[deepArray, deepObject, '{"__proto__":{"length":1}}'],
];

/** Characters that a string must not contain. A password may contain any Unicode character. */
export const invalidCharacters = {
  password: ['\ud800', '\udc00'],
  other: ['\0', '\u0001', '\u001f', '\u007f', '\ud800', '\udc00'],
};

/** Unknown fields, as JSON members; they must be ignored. */
export const unknownFields = [
  '"extra":1',
  '"":null',
  '"__proto__":{"polluted":true}',
  `"__proto__":{"polluted":true,"n":${longNumber}}`,
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":{"polluted":true}',
  '"toString":"text","hasOwnProperty":1,"then":{}',
  '"\\u0000":"\\u0000\\ud800"',
  `"extra":[1e400,${longNumber}]`,
  `"extra":${'['.repeat(15)}${']'.repeat(15)}`,
];

/** Values of a query parameter, URL-encoded. */
export const queryValues = [
  '',
  ...`%20 %00 a%00b x%01 %ff %F0%28 %ED%A0%80 % %zz %27 %22 1'-- %7B%7D []
    -1 1.5 1e2 0x10 +1 %D9%A3 NaN Infinity null undefined true __proto__ ,desc`.split(/\s+/),
  '9'.repeat(40),
  'x'.repeat(5_000),
];

/** The values among them that are also invalid for a free-text parameter. */
export const invalidTexts = new Set(['%00', 'a%00b', 'x%01', 'x'.repeat(5_000)]);

export const pathValues = [
  ...`% %zz %ff %00 %c0%af %ED%A0%80 %2F .. ..%2f %2e%2e . ;x %20 %0d%0aX:1 %22
    ' 1 -1 null undefined __proto__ [object%20Object] %F0%9F%92%A9 00000000-0000-4000-8000-00000000000g
    00000000-0000-4000-8000-000000000001%00 %7B00000000-0000-4000-8000-000000000001%7D`.split(/\s+/),
  'x'.repeat(5_000),
];

/** Values that no header of the services accepts. */
export const headerValues = ['x'.repeat(5_000), 'a b', 'ü', 'a\tb', '\u0080'];

/** Content-Type values other than JSON in UTF-8. */
export const unsupportedTypes = ['utf-16', 'iso-8859-1', '']
  .map((charset) => `application/json; charset=${charset}`)
  .concat(
    ['', 'application/json, text/plain', 'multipart/form-data; boundary=x'],
    'text/plain text/json application/xml application/x-www-form-urlencoded application/jsonx json */*'.split(' '),
  );

/** Bodies with their Content-Encoding. The first two decompress to the valid body and 20 MiB of white space. */
export const encodedBodies = (json: string): [encoding: string, body: Buffer][] => {
  const bomb = Buffer.from(json + ' '.repeat(20 * 1024 * 1024));
  return [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['gzip', Buffer.from(json)],
    ['gzip', gzipSync(json).subarray(0, -10)],
    ['deflate', Buffer.from([0xff, 0, 0xff])],
    ['x-unknown', Buffer.from(json)],
    ['gzip, gzip', gzipSync(gzipSync(json))],
  ];
};
