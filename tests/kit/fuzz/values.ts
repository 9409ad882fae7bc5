import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Named bodies: text, or bytes where it is no text. */
export type Bodies = Record<string, string | Buffer>;

const levels = 100_000;
const deepArray = '['.repeat(levels) + ']'.repeat(levels);
const deepObject = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const longNumber = '1234567890123456789012345678901234567890';

/** The valid JSON object of a text, and one more field in it. */
export const withField = (text: string, field: string) =>
  text.replace('{', text.length > 2 ? `{${field},` : `{${field}`);
const withBytes = (text: string, ...bytes: number[]) => {
  const [before = '', after = ''] = withField(text, '"extra":"@@"').split('@@');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

/** The body as a whole is wrong, though the valid one is in it: whoever does not look closely takes it. */
export const brokenBodies = (text: string): Bodies => ({
  nothing: '',
  blanks: ' \n',
  'cut off': text.slice(0, -1),
  'a comma at the end': `${text.slice(0, -1)},}`,
  'two documents': text + text,
  'a bracket too many': `${text}]`,
  'a comment': `/**/${text}`,
  'single quotes': withField(text, "'extra':1"),
  'a key without quotes': withField(text, 'extra:1'),
  'a wrong escape': withField(text, '"extra":"\\x41"'),
  'a raw control character': withField(text, '"extra":"\u0000"'),
  'a raw line end in a text': withField(text, '"extra":"\n"'),
  ...Object.fromEntries(
    ['NaN', 'Infinity', '-Infinity', 'undefined', '01', '.5', '1.', '+1', '0x10', '1e', '--1', 'True'].map((token) => [
      `the token ${token}`,
      withField(text, `"extra":${token}`),
    ]),
  ),
  'a wrong token beside a long number': withField(text, `"extra":[${longNumber},01]`),
  'bytes that are not UTF-8': withBytes(text, 0xff, 0xfe),
  'an overlong encoding': withBytes(text, 0xc0, 0xaf),
  'a surrogate as UTF-8': withBytes(text, 0xed, 0xa0, 0x80),
  'UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
  'an empty array': '[]',
  'the object in an array': `[${text}]`,
  'the object as a text': JSON.stringify(text),
  null: 'null',
  'a number': '1',
  true: 'true',
  'deep arrays': deepArray,
  'deep objects': deepObject,
  'deep arrays that never end': '['.repeat(levels),
  'deep arrays with a long number': `[${longNumber},${deepArray}]`,
  'the fields in __proto__': `{"__proto__":${text}}`,
  'the fields in __proto__ beside a long number': `{"extra":${longNumber},"__proto__":${text}}`,
  'the fields in constructor.prototype': `{"constructor":{"prototype":${text}}}`,
  'two mebibytes': withField(text, `"extra":"${'x'.repeat(2 * 1024 * 1024)}"`),
});

/** JSON texts of every type: what the document allows in a place is left out there. */
export const typedValues = ['null', 'true', '""', '"text"', '"12"', '1', '-0', '-1', '1.5', '[]', '[null]', '{}'];

/** JSON texts that no field takes, whatever its type. */
export const impossibleValues: Record<string, string> = {
  '1e400': '1e400',
  '-1e400': '-1e400',
  'a number of 40 digits': longNumber,
  'a negative number of 40 digits': `-${longNumber}`,
  'a fraction of 40 digits': `0.${longNumber}`,
  'a huge exponent beside many digits': `1.${longNumber}e999999999`,
  'a tiny exponent beside many digits': `1.${longNumber}e-999999999`,
  'deep arrays': deepArray,
  'deep objects': deepObject,
  'a field of its prototype': '{"__proto__":{"length":1}}',
};

/** What a text must not hold, put into the middle of a valid one. A password may hold anything that is Unicode. */
export const badCharacters = {
  password: ['\ud800', '\udc00'],
  other: ['\0', '\u0001', '\u001f', '\u007f', '\ud800', '\udc00'],
};

/** Fields that nobody knows, as JSON members: they change nothing. */
export const extraFields = [
  '"extra":1',
  '"":null',
  '"__proto__":{"polluted":true}',
  `"__proto__":{"polluted":true,"n":${longNumber}}`,
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":{"polluted":true}',
  '"toString":"text","hasOwnProperty":1,"then":{}',
  '"\\u0000":"\\u0000\\ud800"',
  `"extra":[1e400,${longNumber}]`,
  `"extra":${'['.repeat(50)}${']'.repeat(50)}`,
];

/** Values of a query parameter, as they stand in the address. */
export const queryValues = [
  ...[
    '',
    '%20',
    '%00',
    'a%00b',
    'x%01',
    '%ff',
    '%F0%28',
    '%ED%A0%80',
    '%',
    '%zz',
    '%27',
    '%22',
    "1'--",
    '%7B%7D',
    '[]',
  ],
  ...['-1', '1.5', '1e2', '0x10', '+1', '%D9%A3', 'NaN', 'Infinity', 'null', 'undefined', 'true', '__proto__', ',desc'],
  ...['9'.repeat(40), 'x'.repeat(5_000)],
];

/** Those of them that no free text may be either. */
export const badTexts = new Set(['%00', 'a%00b', 'x%01', 'x'.repeat(5_000)]);

export const pathValues = [
  ...[
    '%',
    '%zz',
    '%ff',
    '%00',
    '%c0%af',
    '%ED%A0%80',
    '%2F',
    '..',
    '..%2f',
    '%2e%2e',
    '.',
    ';x',
    '%20',
    '%0d%0aX:1',
    '%22',
  ],
  ...["'", '1', '-1', 'null', 'undefined', '__proto__', '[object%20Object]', '%F0%9F%92%A9', 'x'.repeat(5_000)],
  ...[
    '00000000-0000-4000-8000-00000000000g',
    '00000000-0000-4000-8000-000000000001%00',
    '%7B00000000-0000-4000-8000-000000000001%7D',
  ],
];

/** Values of a request header that no header of ours takes. */
export const headerValues = ['x'.repeat(5_000), 'a b', 'ü', 'a\tb', '\u0080'];

export const foreignTypes = [
  ...[
    '',
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ],
  ...['application/jsonx', 'application/json, text/plain', 'json', '*/*'],
  ...['application/json; charset=utf-16', 'application/json; charset=iso-8859-1', 'application/json; charset='],
];

/** Content-Encoding and a body of it; inflated, the first two would be a valid body with blanks behind it. */
export const encodedBodies = (text: string): [encoding: string, body: Buffer][] => {
  const bomb = Buffer.from(text + ' '.repeat(20 * 1024 * 1024));
  return [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, -10)],
    ['deflate', Buffer.from([0xff, 0, 0xff])],
    ['x-unknown', Buffer.from(text)],
    ['gzip, gzip', gzipSync(gzipSync(text))],
  ];
};
