import type { z } from 'zod';
import { email, givenTime, password, personName, queryTime, soughtEmail, text, uuid, wholeNumber } from './fields.ts';

const tea = '🍵';
const refused = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message ?? 'taken';

/** By their Unicode names. */
const invisible = {
  'zero width space': '\u200b',
  'zero width joiner': '\u200d',
  'soft hyphen': '\u00ad',
  'combining grapheme joiner': '\u034f',
  'word joiner': '\u2060',
  'right-to-left override': '\u202e',
  'hangul filler': '\u3164',
  'halfwidth hangul filler': '\uffa0',
  'variation selector-16': '\ufe0f',
  'tag space': '\u{e0020}',
  'braille pattern blank': '\u2800',
  'mongolian vowel separator': '\u180e',
  'line separator between two of them': '\u200b\u2028\u200b',
};

describe('text', () => {
  const name = text(1, 5);
  it.each([
    ['abc', 'abc'],
    ['  a b\t', 'a b'],
    [tea.repeat(5), tea.repeat(5)],
    [`   ${'x'.repeat(5)}   `, 'xxxxx'],
    ['👩\u200d🚀', '👩\u200d🚀'],
    ['a\u200b', 'a\u200b'],
    ['\ue000', '\ue000'],
    ['a\nb\tc', 'a\nb\tc'],
    ['e\u0301', 'e\u0301'],
  ])('turns %j into %j', (given, kept) => {
    expect(name.parse(given)).toBe(kept);
  });

  it.each<readonly [string, string]>([
    ['', 'must have 1 to 5 characters'],
    [' \n\u00a0\u3000', 'must have 1 to 5 characters'],
    ['x'.repeat(6), 'must have 1 to 5 characters'],
    [tea.repeat(6), 'must have 1 to 5 characters'],
    ['a\0b', 'must not contain control characters'],
    ['a\u001bb', 'must not contain control characters'],
    ['a\u007f', 'must not contain control characters'],
    ['\ud83c', 'must not contain control characters'],
    ['\udf75a', 'must not contain control characters'],
    ...Object.values(invisible).map((character) => [character, 'must have visible characters'] as const),
    [Object.values(invisible).slice(0, 5).join(''), 'must have visible characters'],
  ])('refuses %j: %s', (given, message) => {
    expect(refused(name, given)).toBe(message);
  });

  it.each([[1], [null], [['a']], [undefined]])('refuses %j, which is not text', (given) =>
    expect(refused(name, given)).toMatch(/expected string/),
  );
  it('may be empty if the minimum is 0', () => {
    expect(['  ', '\u200b'].map((given) => text(0, 5).parse(given))).toEqual(['', '\u200b']);
  });
});

describe('the name of a person', () => {
  const name = personName(1, 200);
  it.each([
    'Ada',
    ' J. R. R. Tolkien ',
    "Sinéad O'Connor",
    'Dr.Smith',
    '山田 太郎',
    'שרה כהן',
    'fatima الزهراء',
    'a/b: c',
  ])('may be %j', (given) => expect(name.parse(given)).toBe(given.trim()));

  it.each([
    'a\nb',
    'a\r\nb',
    'a\tb',
    'a\u0085b',
    'a\u2028b',
    'a\u2029b',
    'a\u202eb',
    'a\u2066b\u2069',
    'a\u200fb',
    '\u061ca',
  ])('is one line, read in one direction: %j is refused', (given) =>
    expect(refused(name, given)).toBe('must be one line, without control characters'),
  );

  it.each(['Win at https://evil.example', 'a://b', 'see WWW.evil.example', 'ｗｗｗ．evil.example', 'http：／／evil'])(
    'has no link: %j is refused',
    (given) => expect(refused(name, given)).toBe('must not contain a link'),
  );
});

it.each([
  ['a@b.de', 'a@b.de'],
  ['  Anna.B+c@Example.org ', 'Anna.B+c@Example.org'],
  ['dept=x@example.com', 'dept=x@example.com'],
  ["o'neil/dept!#$%&*?^_`{|}~-@example.com", "o'neil/dept!#$%&*?^_`{|}~-@example.com"],
  ['x@sub.xn--mller-kva.de', 'x@sub.xn--mller-kva.de'],
  ['x@xn--e1afmkfd.xn--p1ai', 'x@xn--e1afmkfd.xn--p1ai'],
  ['x@1.example.com', 'x@1.example.com'],
  // One spelling for a mailbox, regardless of case, Unicode form and the alphabet of its domain
  ['jörg@example.com', 'jörg@example.com'],
  ['JO\u0308RG@Example.com', 'jörg@Example.com'],
  ['用户@例子.中国', '用户@xn--fsqu00a.xn--fiqs8s'],
  ['Anna@MÜLLER.de', 'Anna@xn--mller-kva.de'],
  ['Anna@MU\u0308LLER.de', 'Anna@xn--mller-kva.de'],
])('keeps the e-mail address %j as %j', (given, kept) => expect(email.parse(given)).toBe(kept));

const long = `${'a'.repeat(250)}@b.de`;
it.each([
  ...['', 'a@', '@b.de', 'a@b', 'a b@c.de', 'a@b.de\0', 'a@b.de\nx', 'a@b.de,c@d.de', 'a@b@c.de', long],
  ...['.a@b.de', 'a.@b.de', 'a..b@b.de', '"a b"@b.de', 'a(b)@c.de', '<a>@b.de', 'a\u200bb@c.de', 'a\u00a0b@c.de'],
  ...['x@example-.com', 'x@-example.com', 'x@example..com', 'x@example.com.', 'x@.example.com', 'x@exa_mple.com'],
  ...['x@1.2.3.4', 'x@[1.2.3.4]', 'x@example.c0m1.123', 'x@example.c', 'x@xn--.com', 'x@exa\u200bmple.com'],
  ...[`x@${'a'.repeat(64)}.com`, 'x@mü-.de', 'x@例子。中国x/y'],
])('refuses %j as an e-mail address', (given) => expect(email.safeParse(given).success).toBe(false));

it.each([
  ['JÖRG@MÜLLER.de', 'jörg@xn--mller-kva.de'],
  [' Ada@Example.com', 'Ada@Example.com'],
  ['nobody', 'nobody'],
])('looks for the e-mail address %j as %j', (given, kept) => expect(soughtEmail.parse(given)).toBe(kept));

it('keeps a password unchanged', () => {
  const schema = password(8, 10);
  for (const given of [' 7 blank ', '\0\0\0\0\0\0\0\0', tea.repeat(10)]) expect(schema.parse(given)).toBe(given);
  expect(refused(schema, tea.repeat(7))).toBe('must have 8 to 10 characters');
  expect(refused(schema, tea.repeat(11))).toBe('must have 8 to 10 characters');
  expect(refused(schema, `1234567\ud800`)).toBe('must be Unicode text');
});

it('accepts UUIDs of any version and converts them to lower case', () => {
  expect(uuid.parse('0190F5E6-7B7A-7CC3-98C4-DC0C0C07398F')).toBe('0190f5e6-7b7a-7cc3-98c4-dc0c0c07398f');
  expect(uuid.parse('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000000');
  const id = '0190f5e6-7b7a-7cc3-98c4-dc0c0c07398f';
  for (const given of ['', 'x', id.replaceAll('-', ''), `{${id}}`, `${id}\n`])
    expect(refused(uuid, given)).toBe('must be a UUID');
});

describe('a time', () => {
  const utc = '2026-01-31T07:30:00.500000Z';
  it('accepts any form of RFC 3339, and becomes UTC', () => {
    for (const given of [utc, '2026-01-31T09:30:00.5+02:00', '2026-01-31t07:30:00.50z'])
      expect(givenTime.parse(given)).toBe(utc);
  });

  it.each([
    '2026-01-31T09:30:00',
    '2026-02-30T09:30:00Z',
    '2026-01-31',
    '',
    '0000-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
  ])('is not %j', (given) =>
    expect(refused(givenTime, given)).toBe('must be a time with a zone, such as 2026-01-31T09:30:00Z'),
  );

  it('may have an unencoded plus in a query', () => {
    expect(queryTime.parse('2026-01-31T09:30:00.5 02:00')).toBe(utc);
    expect(givenTime.safeParse('2026-01-31T09:30:00.5 02:00').success).toBe(false);
  });
});

it('accepts only digits for a whole number, within its bounds', () => {
  const schema = wholeNumber(1, 1000);
  expect(['1', '1000', '0100'].map((given) => schema.parse(given))).toEqual([1, 1000, 100]);
  for (const given of ['0', '1001']) expect(refused(schema, given)).toBe('must be 1 to 1000');
  for (const given of ['', ' 1', '1 ', '1.0', '1e2', '+1', '-1', '0x1', '١', '1\n', '9'.repeat(16)])
    expect(refused(schema, given)).toBe('must be a whole number');
  expect(refused(schema, ['1', '2'])).toBe('must be given once');
});
