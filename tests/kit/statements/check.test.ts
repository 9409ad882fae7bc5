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

/** Where a text begins in the line that has another. */
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
    ['each column in its type', row, columnsOfRow],
    [
      'a text for a union of literals, and the properties of an interface that it extends',
      item,
      { id: text, status: text },
    ],
    ['numeric and bigint for texts', item, { id: int8, status: numeric }],
    ['JSON for anything', row, { ...columnsOfRow, count: json, names: json }],
    ['what an assertion says', asserted, { id: uuid }],
    ['what a caller names, and what is added to it', page(' page: '), { id: uuid, position: json }],
    ['what is void beside it', asserted, { id: uuid, pg_notify: void_ }],
    ['whatever nobody reads', unread, { id: uuid }],
  ])('fits %s', (_, calls, columns) => {
    expect(differences(calls, columns)).toEqual([]);
  });

  it.each<[string, Calls, Record<string, number>, string[]]>([
    [
      'another name',
      asserted,
      { ident: uuid },
      [
        'the row type has "id", and no column of the statement has this name',
        'the statement returns the column "ident", and the row type does not have it',
      ],
    ],
    [
      'another type',
      row,
      { ...columnsOfRow, count: int8 },
      ['the column "count" is bigint, which is read as string, and the row type says number'],
    ],
    [
      'a text for a time',
      row,
      { ...columnsOfRow, at: text },
      ['the column "at" is text, which is read as string, and the row type says Date | null'],
    ],
    [
      'an array for one',
      item,
      { id: textArray, status: text },
      ['the column "id" is text[], which is read as string[], and the row type says string'],
    ],
    [
      'one for an array',
      row,
      { ...columnsOfRow, names: text },
      ['the column "names" is text, which is read as string, and the row type says string[]'],
    ],
    [
      'another name than a caller says',
      page(' page: '),
      { ident: uuid, id: uuid, position: json },
      ['the statement returns the column "ident", and the row type does not have it'],
    ],
    [
      'a caller that names no type',
      page('pageOfNobody'),
      {},
      ['the row type is Row, and no caller on the stack names it'],
    ],
    ['any', unchecked, { id: uuid }, ['the rows are of the type any: name their columns']],
    ['no call', elsewhere, { id: uuid }, ['this call, which sends a statement, returns no rows']],
    [
      'a type that is not known here',
      item,
      { id: 600, status: text },
      ['the column "id" has a type that tests/kit/statements does not know: OID 600'],
    ],
  ])('does not fit %s', (_, calls, columns, sentences) => {
    expect(differences(calls, columns)).toEqual(sentences.map((sentence) => `${file}:${calls[0].line}: ${sentence}`));
  });
});

describe('of the statements that are sent', () => {
  const product = useDatabase('product').open((url) => openDatabase(PrismaClient, url));
  const recorded = () => recordedIn(process.env.TEST_STATEMENTS ?? '');

  it('those of services are recorded with the call of run, in a transaction and without', async () => {
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

  it('those of tests and of models are not', async () => {
    await product.run(sql`select 1 as of_a_test`);
    await product.prisma.product.findMany({ where: { unit: 'of_a_model' } });
    expect(recorded().filter(({ text }) => /of_a_test|"public"\."products"/.test(text))).toEqual([]);
  });
});
