import { Decimal, decimal, fromMinorUnits, inDecimals, toMinorUnits, total } from './money.ts';

const line = (unitPrice: string, quantity = 1) => ({ unitPrice: new Decimal(unitPrice), quantity });

describe('total', () => {
  it.each([
    ['USD', [line('0.1', 3)], '0.3'],
    ['USD', [line('19.99', 3), line('0.01')], '59.98'],
    ['USD', [line('0.005')], '0'],
    ['USD', [line('0.025')], '0.02'],
    ['USD', [line('0.0251')], '0.03'],
    ['USD', [line('0.0049')], '0'],
    ['USD', [line('0.0025', 3)], '0.01'],
    ['JPY', [line('1.5')], '2'],
    ['JPY', [line('2.5')], '2'],
    ['KWD', [line('0.0015')], '0.002'],
    ['KWD', [line('1.2345')], '1.234'],
    ['HUF', [line('1999.50')], '1999.5'],
    ['IQD', [line('0.0015')], '0.002'],
    ['CLF', [line('1.2345')], '1.2345'],
    ['USD', [], '0'],
    ['USD', Array(100).fill(line('999999999999.9999', 10_000)), '999999999999999900'],
  ])('in %s of %j is %s', (currency, lines, amount) => {
    const result = total(lines, currency);
    expect({ ...result, amount: result.amount.toFixed() }).toEqual({ amount, currency });
  });

  it('rounds once, after an exact sum', () => {
    // Rounding each line would give 0.00, and adding doubles 0.99.
    expect(total(Array(199).fill(line('0.005')), 'USD').amount.toFixed()).toBe('1');
  });
});

it.each([
  ['1999.5', 'HUF', '1999.50'],
  ['12.75', 'USD', '12.75'],
  ['4.2525', 'USD', '4.2525'],
  ['700', 'JPY', '700'],
  ['0.5', 'IQD', '0.500'],
  ['1000', 'DEM', '1000.00'],
])('%s %s is written %s', (amount, currency, words) => {
  expect(inDecimals(new Decimal(amount), currency)).toBe(words);
});

describe('decimal', () => {
  const price = decimal(12, 4);
  it.each([
    [1, '1'],
    [4.35, '4.35'],
    [0.0001, '0.0001'],
    [new Decimal('999999999999.9999'), '999999999999.9999'],
    [new Decimal('1.00000'), '1'],
    [-5, '-5'],
  ])('accepts %s', (value, text) => {
    expect(price.parse(value).toFixed()).toBe(text);
  });

  it.each([['1'], [null], [undefined], [true], [Number.NaN], [Number.POSITIVE_INFINITY], [{}], [[1]], [1n]])(
    'refuses %p',
    (value) => {
      expect(price.safeParse(value).error?.issues).toEqual([expect.objectContaining({ message: 'must be a number' })]);
    },
  );

  it.each([[0.00001], [1.00001], [1e12], [-1e12], [new Decimal('1e999999')], [new Decimal('1e-999999')]])(
    'refuses the size of %s',
    (value) => {
      expect(price.safeParse(value).success).toBe(false);
    },
  );
});

it.each([
  ['12.75', 'USD', 1275n],
  ['700', 'JPY', 700n],
  ['0.5', 'KWD', 500n],
  ['999999999999999999999999.99', 'USD', 99999999999999999999999999n],
])('%s %s is %s minor units', (amount, currency, units) => {
  expect(toMinorUnits({ amount: new Decimal(amount), currency })).toBe(units);
  expect(fromMinorUnits(units, currency)).toEqual({ amount: new Decimal(amount), currency });
});

it.each([
  ['0.005', 0n],
  ['0.015', 2n],
  ['0.0151', 2n],
])('minor units of %s USD are rounded half-even to %s', (amount, units) => {
  expect(toMinorUnits({ amount: new Decimal(amount), currency: 'USD' })).toBe(units);
});
