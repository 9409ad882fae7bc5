import { openDatabase } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import { PrismaClient } from '../../../services/product/src/generated/client.ts';
import { createProductRepository } from '../../../services/product/src/product-repository.ts';
import { useFolder } from '../folder.ts';
import { useDatabase } from '../postgres/database.ts';
import { read } from '../read.ts';
import { openComparison, recordedIn } from './check.ts';
import type { Place } from './record.ts';

const file = 'tests/kit/statements/_rows.ts';
const lines = read(file).split('\n');

/** The position of `text` in the line that contains `inLine`. */
function placeOf(text: string, inLine: string): Place {
  const index = lines.findIndex((one) => one.includes(inLine) && one.includes(text));
  return { file, line: index + 1, column: (lines[index]?.indexOf(text) ?? -1) + 1 };
}

type Calls = [Place, ...Place[]];
const row: Calls = [placeOf('run<', 'row: ')];
const item: Calls = [placeOf('run<', 'item: ')];
const asserted: Calls = [placeOf('run(', 'asserted: ')];
const unread: Calls = [placeOf('run(', 'unread: ')];
const unchecked: Calls = [placeOf('run<', 'unchecked: ')];
const page = (of: string): Calls => [placeOf('run<', 'return run<'), placeOf('readAll', of)];
const elsewhere: Calls = [placeOf('sql`', 'const statement')];

const [bool, int8, int4, text, json, textArray, timestamptz, numeric, void_, uuid] = [
  16, 20, 23, 25, 114, 1009, 1184, 1700, 2278, 2950,
];
const columnsOfRow = { id: uuid, count: int4, at: timestamptz, isOpen: bool, names: textArray };

describe('the row type of a statement', () => {
  const comparison = openComparison([file], useFolder());
  afterAll(() => comparison.close());
  const differences = (calls: Calls, columns: Record<string, number>) => {
    const named = Object.entries(columns).map(([name, type]) => ({ name, type }));
    return comparison.differences({ text: 'select', calls, columns: named });
  };

  it.each<[string, Calls, Record<string, number>]>([
    ['a column for each property, of its type', row, columnsOfRow],
    ['text for a union of literals, and inherited properties', item, { id: text, status: text }],
    ['numeric and bigint for strings', item, { id: int8, status: numeric }],
    ['JSON for anything', row, { ...columnsOfRow, count: json, names: json }],
    ['the type in an assertion', asserted, { id: uuid }],
    ['the type that a caller names, with added properties', page(' page: '), { id: uuid, position: json }],
    ['a void column beside the row', asserted, { id: uuid, pg_notify: void_ }],
    ['any columns of unread rows', unread, { id: uuid }],
  ])('fits %s', (_, calls, columns) => {
    expect(differences(calls, columns)).toEqual([]);
  });

  it.each<[string, Calls, Record<string, number>, string[]]>([
    [
      'another name',
      asserted,
      { ident: uuid },
      [
        'the row type has "id", but the statement returns no such column',
        'the statement returns the column "ident", but the row type lacks it',
      ],
    ],
    [
      'another type',
      row,
      { ...columnsOfRow, count: int8 },
      ['the column "count" is bigint, which is read as string, and the row type says number'],
    ],
    [
      'text for a time',
      row,
      { ...columnsOfRow, at: text },
      ['the column "at" is text, which is read as string, and the row type says Date | null'],
    ],
    [
      'an array for a single value',
      item,
      { id: textArray, status: text },
      ['the column "id" is text[], which is read as string[], and the row type says string'],
    ],
    [
      'a single value for an array',
      row,
      { ...columnsOfRow, names: text },
      ['the column "names" is text, which is read as string, and the row type says string[]'],
    ],
    [
      'a name that the type of the caller lacks',
      page(' page: '),
      { ident: uuid, id: uuid, position: json },
      ['the statement returns the column "ident", but the row type lacks it'],
    ],
    [
      'a caller that names no type',
      page('pageWithoutType'),
      {},
      ['the row type is Row, but no caller on the stack names it'],
    ],
    ['any', unchecked, { id: uuid }, ['the rows are of the type any: name their columns']],
    ['a place without a call', elsewhere, { id: uuid }, ['this call, which sends a statement, returns no rows']],
    [
      'an unknown column type',
      item,
      { id: 600, status: text },
      ['the column "id" has a type that tests/kit/statements does not know: OID 600'],
    ],
  ])('does not fit %s', (_, calls, columns, sentences) => {
    expect(differences(calls, columns)).toEqual(sentences.map((sentence) => `${file}:${calls[0].line}: ${sentence}`));
  });
});

describe('recorded statements', () => {
  const product = useDatabase('product').open((url) => openDatabase(PrismaClient, url));
  const recorded = () => recordedIn(process.env.TEST_STATEMENTS ?? '');

  it('include those of services with the call of run, inside and outside a transaction', async () => {
    const repository = createProductRepository(product);
    await repository.find('00000000-0000-4000-8000-000000000001');
    await repository.remove('operator', '00000000-0000-4000-8000-000000000001').catch(() => undefined);
    const ofProduct = 'services/product/src/product-repository.ts';
    const sources = read(ofProduct).split('\n');
    const found = recorded().flatMap(({ calls: [{ file, line, column }], columns }) =>
      file === ofProduct ? `${sources[line - 1]?.slice(column - 1)} ${columns.map(({ name }) => name)}` : [],
    );
    expect(found).toContainEqual(expect.stringMatching(/^run<Versioned>.* json,version$/));
    expect(found).toContainEqual(expect.stringMatching(/^run<\{ json: string \}>.* json$/));
  });

  it('exclude those of tests and of Prisma models', async () => {
    await product.run(sql`select 1 as of_a_test`);
    await product.prisma.product.findMany({ where: { unit: 'of_a_model' } });
    expect(recorded().filter(({ text }) => /of_a_test|"public"\."products"/.test(text))).toEqual([]);
  });
});
